// Relative times ("3 minutes ago") are updated while a page is open.
import { formatRelativeTime } from '../relative.ts'

export const refreshTimes = (): void => {
  const now = Date.now()
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-relative]')) {
    const text = formatRelativeTime(Date.parse(element.dateTime), now)
    if (element.textContent !== text) element.textContent = text
  }
}

refreshTimes()
setInterval(refreshTimes, 60_000)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refreshTimes()
})
