// The pages of the merge queue.
export { queueLive } from './live.ts'
export { queueForms, queuePage } from './queue.tsx'
