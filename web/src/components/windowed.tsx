// A list that renders only the visible rows, for any number of rows of any height.
//
// A row's height is measured when the row is shown and estimated before.  The row at the top of the view
// keeps its position when rows above it change; a list scrolled to its end stays at its end.
import { Component, createRef, type ComponentChildren } from "preact";

interface Props<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  render: (item: T, index: number) => ComponentChildren;
  guess: number;
  label: string;
  /** Start at the end and stay there while rows are added. */
  sticky?: boolean;
  onNearTop?: () => void;
  onNearEnd?: () => void;
  onAtEnd?: (atEnd: boolean) => void;
  head?: ComponentChildren;
  class?: string;
  /** Lets the owner scroll the list. */
  handle?: { current: Windowed<T> | null };
}

const MARGIN = 500;
const NEAR = 48;

export class Windowed<T> extends Component<Props<T>, { top: number; height: number }> {
  state = { top: 0, height: 800 };
  private readonly box = createRef<HTMLDivElement>();
  private readonly heights = new Map<string, number>();
  private readonly seen = new ResizeObserver((entries) => this.measure(entries));
  private offsets: number[] = [0];
  private anchor: { key: string; offset: number } | undefined;
  private isAtEnd = true;
  private frame = 0;

  private observe = (element: HTMLElement | null): void => {
    if (element) this.seen.observe(element);
  };

  private layOut(): void {
    const { items, keyOf, guess } = this.props;
    const offsets = new Array<number>(items.length + 1);
    offsets[0] = 0;
    for (let i = 0; i < items.length; i++)
      offsets[i + 1] = offsets[i]! + (this.heights.get(keyOf(items[i]!)) ?? guess);
    this.offsets = offsets;
  }

  /** The row at this distance from the top. */
  private indexAt(y: number): number {
    let low = 0;
    let high = Math.max(0, this.offsets.length - 2);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsets[middle]! <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private measure(entries: ResizeObserverEntry[]): void {
    let changed = false;
    for (const entry of entries) {
      const element = entry.target as HTMLElement;
      const key = element.dataset.key;
      if (!element.isConnected || key === undefined) {
        this.seen.unobserve(element);
        continue;
      }
      const height = element.offsetHeight;
      if (height && this.heights.get(key) !== height) {
        this.heights.set(key, height);
        changed = true;
      }
    }
    if (changed) this.forceUpdate();
  }

  private onScroll = (): void => {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const box = this.box.current;
      if (!box) return;
      const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
      if (atEnd !== this.isAtEnd) this.props.onAtEnd?.(atEnd);
      this.isAtEnd = atEnd;
      this.keepAnchor(box);
      this.setState({ top: box.scrollTop, height: box.clientHeight });
      if (box.scrollTop < MARGIN) this.props.onNearTop?.();
      if (box.scrollHeight - box.scrollTop - box.clientHeight < MARGIN) this.props.onNearEnd?.();
    });
  };

  private keepAnchor(box: HTMLElement): void {
    const at = this.indexAt(box.scrollTop);
    const item = this.props.items[at];
    this.anchor = item && { key: this.props.keyOf(item), offset: box.scrollTop - this.offsets[at]! };
  }

  scrollToEnd(): void {
    const box = this.box.current;
    if (box) box.scrollTop = box.scrollHeight;
    this.isAtEnd = true;
    this.props.onAtEnd?.(true);
  }

  scrollTo(index: number): void {
    const box = this.box.current;
    if (!box) return;
    const above = this.offsets[index] ?? 0;
    const below = this.offsets[index + 1] ?? above;
    if (above < box.scrollTop) box.scrollTop = above;
    else if (below > box.scrollTop + box.clientHeight) box.scrollTop = below - box.clientHeight;
  }

  private settle(): void {
    const box = this.box.current;
    if (!box) return;
    if (this.props.sticky && this.isAtEnd) {
      box.scrollTop = box.scrollHeight;
    } else if (this.anchor) {
      const { key, offset } = this.anchor;
      const at = this.props.items.findIndex((item) => this.props.keyOf(item) === key);
      const wanted = at < 0 ? box.scrollTop : this.offsets[at]! + offset;
      if (Math.abs(wanted - box.scrollTop) > 1) box.scrollTop = wanted;
    }
    if (box.clientHeight !== this.state.height) this.setState({ height: box.clientHeight, top: box.scrollTop });
  }

  componentDidMount(): void {
    this.isAtEnd = this.props.sticky ?? false;
    if (this.props.handle) this.props.handle.current = this;
    this.settle();
    window.addEventListener("resize", this.onScroll);
  }

  componentDidUpdate(): void {
    this.settle();
  }

  componentWillUnmount(): void {
    if (this.props.handle) this.props.handle.current = null;
    this.seen.disconnect();
    cancelAnimationFrame(this.frame);
    window.removeEventListener("resize", this.onScroll);
  }

  render() {
    const { items, keyOf, render, label, head } = this.props;
    this.layOut();
    const total = this.offsets[items.length]!;
    const top = this.props.sticky && this.isAtEnd ? Math.max(0, total - this.state.height) : this.state.top;
    const from = items.length ? this.indexAt(Math.max(0, top - MARGIN)) : 0;
    const to = items.length ? Math.min(items.length, this.indexAt(top + this.state.height + MARGIN) + 1) : 0;
    return (
      <div class={`windowed ${this.props.class ?? ""}`} ref={this.box} onScroll={this.onScroll} tabIndex={0} role="region" aria-label={label}>
        {head}
        <div role="list" style={{ paddingTop: `${this.offsets[from]}px`, paddingBottom: `${total - this.offsets[to]!}px` }}>
          {items.slice(from, to).map((item, i) => (
            <div key={keyOf(item)} data-key={keyOf(item)} role="listitem" aria-setsize={items.length} aria-posinset={from + i + 1} ref={this.observe}>
              {render(item, from + i)}
            </div>
          ))}
        </div>
      </div>
    );
  }
}
