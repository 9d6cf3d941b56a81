import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { isTypeId } from '#core/ids.ts'
import { notificationRecord } from './notification-record.ts'
import { Notification } from './schema.ts'
import { canRead } from './delivery/visibility.ts'
import { findNotification, setNotification } from './store.ts'

export const markNotification = operation({
  name: 'mark_notification',
  summary:
    'Mark one of your notifications unread, read or done. A done one comes back when something new happens. The answer is the notification.',
  keywords: ['mark as read', 'mark as done', 'mark one notification'],
  route: 'PATCH /notifications/{id}',
  toolset: 'issues',
  listed: 'default',
  access: signedIn({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  annotations: { idempotent: true },
  input: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100 }),
    state: OneOf(['unread', 'read', 'done']),
  }),
  output: Notification,

  handler: ({ hearth, caller, write }, { id, state }) =>
    write((tx) => {
      const own = isTypeId(id, 'ntf') ? findNotification(tx.db, id) : null
      if (
        own?.user_id !== caller.id ||
        (own.repo_id !== null && !canRead(hearth, own.repo_id, caller.id))
      )
        throw notFound(`the notification ${id}`)
      setNotification(tx, id, state)
      const row = findNotification(tx.db, id)
      if (!row) throw notFound(`the notification ${id}`)
      return notificationRecord(hearth, row)
    }),
})
