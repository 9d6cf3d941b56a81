export { addKey } from './add-key.ts'
export { listKeys } from './list-keys.ts'
export { removeKey } from './remove-key.ts'
