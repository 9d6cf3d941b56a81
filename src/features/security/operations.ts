export { setSecurityManager } from './managers/set-security-manager.ts'
export { removeSecurityManager } from './managers/remove-security-manager.ts'
