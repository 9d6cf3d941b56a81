import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Time, Type } from '#core/schema.ts'
import { forbidden } from '#lib/errors.ts'
import { requireDeviceRequest } from './require-device-request.ts'
import { formatUserCode } from './user-codes.ts'

export const getDeviceRequest = operation({
  name: 'get_device_request',
  summary:
    'Read the request of a device for access to your account, by its code: what asks, from where and when.',
  route: null,
  access: personOnly({ whileUnconfirmed: true }),
  input: Type.Object({ code: Type.String({ maxLength: 100 }) }),
  output: Type.Object({
    code: Type.String(),
    client_name: Type.String(),
    ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    scopes: Nullable(Type.Array(Type.String())),
    created_at: Time,
    expires_at: Time,
  }),

  handler: async ({ hearth, caller, now, origin }, { code }) => {
    if (caller.token !== null)
      throw forbidden('person_required', 'sign in on the website to let a device in')
    const row = await requireDeviceRequest({ hearth, caller, now, origin }, code)
    const { client_name, ip, user_agent, created_at, expires_at } = row
    return {
      code: formatUserCode(row.user_code),
      client_name,
      ip,
      user_agent,
      scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as string[]),
      created_at,
      expires_at,
    }
  },
})
