export { getContributions } from './get-contributions.ts'
export { listWaiting } from './list-waiting.ts'
export { listEventTitles } from './list-event-titles.ts'
