/** Public SSH keys of users, and of machines (deploy keys). */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

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
    last_used_at: Nullable(Time),
  },
  { $id: 'Key' },
)
export type Key = Static<typeof Key>

export const Keys = ListOf(Key)

export const DeployKey = Type.Object(
  {
    id: Id('key'),
    title: Type.String(),
    read_only: Type.Boolean(),
    key: Type.String({
      description: 'The public key as in a .pub file, without what was written behind it.',
    }),
    fingerprint: Type.String({
      description: 'SHA256 and 43 characters, as ssh-keygen -l prints it.',
    }),
    created_by: Actor,
    created_at: Time,
    last_used_at: Nullable(Time),
  },
  { $id: 'DeployKey', description: 'A key with which a machine uses one repository over SSH.' },
)
export type DeployKey = Static<typeof DeployKey>

export const DeployKeys = ListOf(DeployKey)

export const KeyTitle = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'What the key is called, such as the machine that it is on.',
})
export const KeyLine = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: 'The line of the .pub file.',
})
