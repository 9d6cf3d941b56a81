/**
 * Seconds since 1970 as the date and time words of a zip header (UTC, two-second steps, 1980 to
 * 2107).
 */
export function toZipTime(seconds: number): { date: number; time: number } {
  const at = new Date(Math.min(Math.max(seconds, 315532800), 4354819198) * 1000)
  return {
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  }
}
