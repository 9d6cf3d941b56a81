/** The door of the git room. */
export * from './ports.ts'
export { createGit } from './create-git.ts'
export { readBareRefs, updateBareRef, type BareRefs } from './bare/refs.ts'
export { packLooseObjects } from './bare/loose.ts'
