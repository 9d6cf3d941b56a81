import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { includesScope, SCOPES } from '#core/scopes.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { requireDeviceRequest } from './require-device-request.ts'
import { findPendingDevice, setDecided } from './store.ts'

export const decideDevice = operation({
  name: 'decide_device',
  summary: 'Let a device into your account by its code, or not.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    code: Type.String({ maxLength: 100 }),
    decision: OneOf(['approve', 'deny']),
    scopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), {
        maxItems: SCOPES.length,
        description: 'What is granted, when it is less than what was asked.',
      }),
    ),
  }),
  output: Type.Object({ client_name: Type.String(), decision: OneOf(['approve', 'deny']) }),

  handler: async ({ hearth, caller, now, origin, write }, { code, decision, scopes: chosen }) => {
    if (caller.token !== null)
      throw forbidden('person_required', 'sign in on the website to let a device in')
    const { user_code } = await requireDeviceRequest({ hearth, caller, now, origin }, code)
    return write((tx) => {
      const row = findPendingDevice(tx.db, user_code, tx.now)
      if (!row) throw invalid('code', 'this code was decided or ended just now')
      const requested = row.scopes === null ? null : (JSON.parse(row.scopes) as string[])
      if (decision === 'approve' && chosen) {
        if (chosen.length === 0) throw invalid('scopes', 'tick at least one, or deny')
        if (
          chosen.some(
            (scope) =>
              !SCOPES.includes(scope) || (requested !== null && !includesScope(requested, scope)),
          )
        )
          throw invalid('scopes', 'the device did not ask for this')
      }
      const scopes = decision === 'approve' && chosen ? [...new Set(chosen)] : requested
      setDecided(tx.db, row.device_hash, {
        state: decision === 'approve' ? 'approved' : 'denied',
        user_id: caller.id,
        scopes: scopes && JSON.stringify(scopes),
      })
      tx.audit({
        action: decision === 'approve' ? 'device.approved' : 'device.denied',
        target: { kind: 'device', id: row.user_code, name: row.client_name },
        data: { after: { scopes }, asked_from: row.ip },
      })
      return { client_name: row.client_name, decision }
    })
  },
})
