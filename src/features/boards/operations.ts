export { getProjectBoard } from './get-project-board.ts'
export { moveCard } from './move-card.ts'
export { setProjectBoard } from './set-project-board.ts'
