import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'

export const listSignOnProviders = operation({
  name: 'list_sign_on_providers',
  summary:
    'Through which providers one can sign in on the website, and who may use a password of this site.',
  route: null,
  access: publicRead(),
  input: Type.Object({}),
  output: Type.Object({
    passwords: OneOf(['everyone', 'administrators']),
    providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    proxy: Nullable(
      Type.String({ description: 'What signing in by the proxy in front is called.' }),
    ),
    directory: Nullable(Type.String({ description: 'What the LDAP directory is called.' })),
  }),

  handler: ({
    hearth: {
      settings: { sso },
    },
  }) => ({
    passwords: sso.passwords,
    providers: sso.oidc.map(({ id, name }) => ({ id, name })),
    directory: sso.ldap?.name ?? null,
    proxy: sso.header?.name ?? null,
  }),
})
