import { systemClock } from '#lib/time.ts'
import { formatDuration, formatRelativeTime } from '../relative.ts'

/** `2026-03-12 14:05 UTC`: the whole of it, for hovering and for listeners. */
export const formatExactTime = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

/**
 * A moment as a distance; the exact time on hovering. The browser script keeps it fresh. `now` in
 * milliseconds, for a page that has its own clock.
 */
export const RelativeTime = ({ at, now }: { at: string; now?: number }) => {
  const moment = Date.parse(at)
  if (Number.isNaN(moment)) return <span>{at}</span>
  return (
    <time datetime={at} title={formatExactTime(at)} data-relative>
      {formatRelativeTime(moment, now ?? systemClock.now())}
    </time>
  )
}

/** How long something took. Machines read it as well (HTML, valid duration strings). */
export const Duration = ({ milliseconds }: { milliseconds: number }) => (
  <time class="nums" datetime={`PT${(milliseconds / 1000).toFixed(3)}S`}>
    {formatDuration(milliseconds)}
  </time>
)
