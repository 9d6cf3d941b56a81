/**
 * Attributes of paths (https://git-scm.com/docs/gitattributes), as far as merging and comparing ask
 * for them.
 */
export { TreeAttributes, type Attributes } from './tree-attributes.ts'
export type { AttributeValue } from './parse.ts'
