/** The password hasher of a forge. In core, because features hash that do not import each other. */
import { PasswordHasher } from '#lib/password/password.ts'
import { currentPrincipal } from './principal.ts'
import { service } from './service.ts'

export const passwords = service(
  'passwords',
  () => new PasswordHasher(() => currentPrincipal()?.id ?? ''),
  {
    close: (hasher) => hasher.close(),
  },
)
