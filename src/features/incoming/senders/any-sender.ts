/** Any program that can send JSON. The configuration says where in it the values are. */
import { arrayOf, isObject, textOf } from '#lib/json-value.ts'
import { wordOf, type Sender } from './sender.ts'

const MAX_POINTER_PARTS = 20
const CLOSED = 'closed, resolved, ok'

/** The value at a JSON pointer (RFC 6901); undefined when there is none. */
function valueAt(value: unknown, pointer: string): unknown {
  let at = value
  for (const part of pointer.split('/').slice(1, MAX_POINTER_PARTS)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = arrayOf(at)[Number(name)]
    else at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

export const anySender: Sender = {
  signature: { kind: 'hmac', header: 'x-hub-signature-256', prefix: 'sha256=', required: false },
  idHeaders: ['webhook-id', 'idempotency-key'],
  hasUniqueBodies: false,
  sendsAlerts: true,
  read: ({ body, config }) => {
    const at = (field: string, usual: string): string =>
      wordOf(valueAt(body, textOf(config[field]) ?? usual))
    const title = at('title_pointer', '/title')
    const fingerprint = at('id_pointer', '/id') || title
    if (fingerprint === '') return null
    const closing = (textOf(config.closed_values) ?? CLOSED).split(',')
    const state = at('state_pointer', '/state').toLowerCase()
    const isClosed = closing.some((word) => word.trim().toLowerCase() === state)
    return {
      name: state || 'event',
      items: [
        {
          fingerprint,
          open: !isClosed || state === '',
          title: title || fingerprint,
          text: at('text_pointer', '/text'),
          url: at('url_pointer', '/url') || null,
          occurrence: null,
        },
      ],
    }
  },
}
