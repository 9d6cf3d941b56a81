export { setCommitStatus } from './set-commit-status.ts'
export { getCommitStatus } from './get-commit-status.ts'
