export { getCheckLog } from './get-check-log.ts'
