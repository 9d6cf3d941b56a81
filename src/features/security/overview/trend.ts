/** The weeks of a trend. */
import { DAY, timestamp, type Timestamp } from '#lib/time.ts'

export const TREND_WEEKS = 12

/** The beginning of the first week. The last one ends with today. */
export const trendStart = (now_ms: number): Timestamp =>
  timestamp((Math.floor(now_ms / DAY) + 1) * DAY - TREND_WEEKS * 7 * DAY)
