import { systemClock } from '#lib/time.ts'
import { currentTimeFormats } from '../format.ts'
import { formatDuration, formatRelativeTime } from '../relative.ts'

/** `2026-03-12 14:05 UTC`: the exact time, for tooltips and screen readers. */
export const formatExactTime = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

/**
 * A relative time with the exact one in the tooltip. The browser script keeps it up to date. `now`
 * is in milliseconds, for pages with a fixed clock.
 */
export const RelativeTime = ({ at, now }: { at: string; now?: number }) => {
  const moment = Date.parse(at)
  if (Number.isNaN(moment)) return <span>{at}</span>
  return (
    <time datetime={at} title={formatExactTime(at)} data-relative>
      {formatRelativeTime(moment, now ?? systemClock.now(), currentTimeFormats())}
    </time>
  )
}

/**
 * A duration, which machines can read as well (HTML, valid duration strings). Its unit stays behind its number in
 * texts that are written from right to left.
 */
export const Duration = ({ milliseconds }: { milliseconds: number }) => (
  <time class="nums" dir="auto" datetime={`PT${(milliseconds / 1000).toFixed(3)}S`}>
    {formatDuration(milliseconds)}
  </time>
)
