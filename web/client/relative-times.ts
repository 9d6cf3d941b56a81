// Relative times ("3 minutes ago") are updated while a page is open.
import { formatRelativeTime, timeFormats } from '../relative.ts'

const { lang } = document.documentElement
const formats = lang === 'en' || lang === '' ? null : timeFormats(`${lang}-u-nu-latn`)

export const refreshTimes = (): void => {
  const now = Date.now()
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-relative]')) {
    const text = formatRelativeTime(Date.parse(element.dateTime), now, formats)
    if (element.textContent !== text) element.textContent = text
  }
}

refreshTimes()
setInterval(refreshTimes, 60_000)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refreshTimes()
})
