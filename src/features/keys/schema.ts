/** Public SSH keys of users. */
import { ListOf, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const KeyUsage = OneOf(['authentication_and_signing', 'authentication', 'signing'])
export type KeyUsage = Static<typeof KeyUsage>

export const Key = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    usage: KeyUsage,
    read_only: Type.Boolean(),
    key: Type.String({
      description: 'The public key as in a .pub file, without what was written behind it.',
    }),
    fingerprint: Type.String({
      description: 'SHA256 and 43 characters, as ssh-keygen -l prints it.',
    }),
    created_at: Time,
  },
  { $id: 'Key' },
)
export type Key = Static<typeof Key>

export const Keys = ListOf(Key)
