// The fields of a webhook: address, events, secret.
import { invalid } from '#lib/errors.ts'
import { Checkbox, Field, FieldSet, Radio } from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { fieldError } from '../shell.tsx'
import { t } from '../../text.ts'

/** All types of events, with those already chosen. A ping is always sent. */
const typesOf = ({ hearth }: Visit, chosen: readonly string[]): string[] =>
  [...new Set([...hearth.eventTypes.keys(), ...chosen])].filter((type) => type !== 'ping').sort()

type HookValues = { readonly url: string; readonly events: readonly string[] }

const EventChoice = ({
  visit,
  chosen,
  error,
  isAll,
  shown,
}: {
  visit: Visit
  chosen: readonly string[]
  error: (field: string) => string | null
  isAll: boolean
  shown: HookValues
}) => (
  <FieldSet legend={t('Send')} error={error('events')}>
    <Radio
      name="which"
      value="all"
      label={t('Everything')}
      hint={t('Also events that come with later versions.')}
      checked={isAll}
    />
    <Radio name="which" value="some" label={t('Only these')} checked={!isAll} />
    <details class="more" open={!isAll}>
      <summary>{t('Choose events')}</summary>
      <div class="tick-grid tick-grid-wide">
        {typesOf(visit, shown.events).map((type) => (
          <Checkbox
            name="events"
            value={type}
            label={<code>{type}</code>}
            checked={chosen.includes(type)}
          />
        ))}
      </div>
    </details>
  </FieldSet>
)

/** `typed` when this form was refused; then it shows the typed values. */
export const HookFields = ({
  visit,
  shown,
  typed,
  isNew,
}: {
  visit: Visit
  shown: HookValues
  typed: boolean
  isNew: boolean
}) => {
  const { values } = visit.form
  const chosen = typed ? values.all('events') : shown.events
  const isAll = typed ? values.text('which') !== 'some' : shown.events.length === 0
  const error = (field: string): string | null => (typed ? fieldError(visit, field) : null)
  return (
    <>
      <Field
        name="url"
        label={t('Address')}
        type="url"
        required
        maxlength={2000}
        mono
        placeholder={t('https://example.com/hook')}
        value={typed ? values.text('url') : shown.url}
        error={error('url')}
        hint={t('Gets a POST with JSON for every event. It must be https, at a public address.')}
      />
      <EventChoice visit={visit} chosen={chosen} error={error} isAll={isAll} shown={shown} />
      <Field
        name="secret"
        label={isNew ? t('Secret') : t('New secret')}
        maxlength={256}
        mono
        autocomplete="off"
        value={typed ? values.text('secret') : ''}
        error={error('secret')}
        hint={
          isNew
            ? t('Signs what is sent, 16 to 256 characters. Left empty, one is made and shown once.')
            : t('Replaces the secret from the next try on. Left empty, it stays.')
        }
      />
    </>
  )
}

/**
 * The chosen types. Empty stands for all. Throws 422 when "only these" is chosen and none is
 * ticked.
 */
export function eventsFrom(fields: Fields): string[] {
  if (fields.text('which') !== 'some') return []
  const events = fields.all('events').filter((type) => type !== '')
  if (events.length === 0)
    throw invalid('events', t('Choose at least one type of event, or everything.'))
  return events
}
