/** Attributes of paths (https://git-scm.com/docs/gitattributes) that merges and comparisons use. */
export { TreeAttributes, type Attributes } from './tree-attributes.ts'
export type { AttributeValue } from './parse.ts'
export { nameMatches } from './glob.ts'
