export { remember } from './remember.ts'
export { recall } from './recall.ts'
export { updateMemory } from './update-memory.ts'
export { forget } from './forget.ts'
