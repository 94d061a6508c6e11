// Small plots.  The figures are shown as text beside them, so a plot needs only one label.

export interface Bar {
  name: string;
  value: number;
  text: string;
  href?: string;
}

/** One bar per row, scaled to the longest. */
export function Bars({ of, label }: { of: Bar[]; label: string }) {
  const most = Math.max(...of.map((bar) => bar.value), 1e-9);
  return (
    <ul class="plot-bars" aria-label={label}>
      {of.map((bar) => (
        <li key={bar.name}>
          {bar.href ? (
            <a class="plot-name" href={bar.href}>
              {bar.name}
            </a>
          ) : (
            <span class="plot-name">{bar.name}</span>
          )}
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect x="0" y="1" width={Math.max(0.4, (bar.value / most) * 100)} height="8" />
          </svg>
          <span class="num">{bar.text}</span>
        </li>
      ))}
    </ul>
  );
}

/** Spent and reserved amounts against a cap. */
export function Gauge({ spent, reserved, cap, label }: { spent: number; reserved: number; cap: number; label: string }) {
  const part = (value: number) => Math.min(100, (value / Math.max(cap, 1e-9)) * 100);
  return (
    <svg class={`gauge${spent + reserved >= cap ? " full" : ""}`} viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="spent" x="0" y="0" width={part(spent)} height="10" />
      <rect class="reserved" x={part(spent)} y="0" width={Math.max(0, part(spent + reserved) - part(spent))} height="10" />
    </svg>
  );
}

/** A cumulative sum over time. */
export function Steps({ points, label }: { points: { at: number; value: number }[]; label: string }) {
  if (points.length < 2) return null;
  const [from, to] = [points[0]!.at, points.at(-1)!.at];
  const most = Math.max(...points.map((point) => point.value), 1e-9);
  const x = (at: number) => ((at - from) / Math.max(1, to - from)) * 300;
  const y = (value: number) => 58 - (value / most) * 54;
  let path = `M0,${y(points[0]!.value).toFixed(1)}`;
  for (const point of points.slice(1)) path += `H${x(point.at).toFixed(1)}V${y(point.value).toFixed(1)}`;
  return (
    <svg class="plot steps" viewBox="0 0 300 60" preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={path} fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke" />
    </svg>
  );
}
