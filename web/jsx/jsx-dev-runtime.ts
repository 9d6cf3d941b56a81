// The runtime that the compiler imports in development. Its extra arguments (key, source) are
// ignored.
export { Fragment, jsx as jsxDEV } from './jsx-runtime.ts'
export type { JSX } from './types.ts'
