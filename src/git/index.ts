/** The door of the git room. */
export * from './ports.ts'
export { createGit } from './create-git.ts'
