/** Entries of the audit log as clients see them. */
import { Actor, FreeForm, Id, ListOf, Nullable, Time, Type, type Static } from '#core/schema.ts'

export const AuditEntry = Type.Object(
  {
    id: Id('aud'),
    time: Time,
    actor: Nullable(Actor),
    on_behalf_of: Nullable(Type.Object({ id: Type.String(), username: Type.String() })),
    token_id: Nullable(
      Type.String({ description: 'The token that was used; null for a sign-in on the website.' }),
    ),
    ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    action: Type.String({ description: 'Dotted, such as workspace.base_permission_changed.' }),
    target: Type.Object({
      kind: Type.String(),
      id: Type.String(),
      name: Type.String({ description: 'As it was called then.' }),
    }),
    workspace: Nullable(Type.String()),
    repository: Nullable(Type.String()),
    data: FreeForm({ description: 'What was before and what is after.' }),
    request_id: Nullable(Type.String()),
    prev: Type.String({
      description:
        'SHA-256 of the entry before it in the log of the whole site; empty for the first.',
    }),
  },
  { $id: 'AuditEntry', description: 'One change of access, settings, tokens or secrets.' },
)
export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntries = ListOf(AuditEntry)
