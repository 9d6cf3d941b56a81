export { getContributions } from './get-contributions.ts'
export { listWaiting } from './list-waiting.ts'
