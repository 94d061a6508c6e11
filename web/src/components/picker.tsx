// The session that a page shows.  The choice is part of the address.
import { safe, shortId } from "../text/format";
import { place, setQuery } from "../state/router";
import { sessions } from "../state/store";
import { t } from "../text/text";

/** The selected session, or the most recently changed one; undefined if there is none. */
export function chosenSession(): string | undefined {
  return place.value.query.get("session") ?? sessions.value?.[0]?.sessionId;
}

/** all: the label of the option for all sessions; without it one session is always selected. */
export function SessionPicker({ value, all }: { value: string; all?: string }) {
  const known = sessions.value ?? [];
  const isListed = known.some((row) => row.sessionId === value);
  return (
    <select aria-label={t("events.session")} value={value} onChange={(e) => setQuery({ session: e.currentTarget.value })}>
      {all !== undefined && <option value="">{all}</option>}
      {value && !isListed && <option value={value}>{value}</option>}
      {known.map((row) => (
        <option key={row.sessionId} value={row.sessionId}>
          {safe(row.title ?? t("live.untitled")).slice(0, 60)} · {shortId(row.sessionId)}
        </option>
      ))}
    </select>
  );
}
