// What the compiler asks for outside production. The extra arguments (key, source place) have no
// use here.
export { Fragment, jsx as jsxDEV } from './jsx-runtime.ts'
export type { JSX } from './types.ts'
