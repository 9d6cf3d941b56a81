/**
 * Sign-on through a company's own providers: OpenID Connect, LDAP and a proxy in front, with
 * memberships by their groups.
 */
import type { Feature } from '#core/hearth.ts'
import { finishSignOn } from './finish-sign-on.ts'
import { listSignOnProviders } from './list-sign-on-providers.ts'
import { signInByProxy } from './sign-in-by-proxy.ts'
import { signInWithDirectory } from './sign-in-with-directory.ts'
import { LONGEST_NEXT, startSignOn } from './start-sign-on.ts'

export {
  finishSignOn,
  listSignOnProviders,
  LONGEST_NEXT as LONGEST_SIGN_ON_NEXT,
  signInByProxy,
  signInWithDirectory,
  startSignOn,
}

export const feature: Feature = {
  name: 'sso',
  operations: [listSignOnProviders, startSignOn, finishSignOn, signInWithDirectory, signInByProxy],
}
