import { getSiteSettings, updateSiteSettings, type SiteSetting } from '#features/site/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions, Select } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Chip } from '../../components/state.tsx'
import { action, flashTo, page, type Fields, type Visit } from '../../site.ts'
import { formError } from '../shell.tsx'
import { AdminFrame } from './frame.tsx'

const PATH = '/admin/settings'
const SIGN_UP = ['open', 'invite', 'sso_only', 'closed']
const SOURCES: Record<SiteSetting['source'], string> = {
  default: 'as it comes', file: 'from hearth.toml', environment: 'from the environment', flag: 'from a flag', site: 'chosen here',
}

const shown = (value: unknown): string =>
  value === null || (Array.isArray(value) && value.length === 0) ? 'not set' : Array.isArray(value) ? value.map(String).join(', ') : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The choice that takes back what was chosen here. */
const CONFIGURED = ''

const Input = ({ setting, visit }: { setting: SiteSetting; visit: Visit }) => {
  const { name, value, help, source } = setting
  const field = `settings.${name}`
  const error = visit.form.error?.field === field ? visit.form.error.message : undefined
  const now = visit.form.values.has(field) ? visit.form.values.text(field) : source === 'site' ? String(value) : CONFIGURED
  const hint = (
    <>
      {help} Now <code>{shown(value)}</code>, {SOURCES[source]}.
    </>
  )
  const words = name === 'accounts.sign_up' ? SIGN_UP : typeof value === 'boolean' ? ['true', 'false'] : null
  if (words === null) return <Field name={field} label={name} value={now} hint={<>{hint} Empty: what the configuration says.</>} error={error} mono />
  return <Select name={field} label={name} value={now} hint={hint} error={error} options={[{ value: CONFIGURED, label: 'what the configuration says' }, ...words.map((word) => ({ value: word, label: word }))]} />
}

export const siteSettingsPage = page({
  path: PATH,
  load: (visit) => visit.call(getSiteSettings, {}),
  view: ({ all }, visit) => (
    <AdminFrame visit={visit} title="Settings" lead="What is chosen here holds at once, and wins over hearth.toml and the environment.">
      <Card title="Chosen here">
        <Form action={PATH} csrf={visit.csrf} error={visit.form.error?.field?.startsWith('settings.') ? null : formError(visit)}>
          {all.filter(({ changeable }) => changeable).map((setting) => (
            <Input setting={setting} visit={visit} />
          ))}
          <FormActions>
            <Button look="primary">Save</Button>
          </FormActions>
        </Form>
      </Card>
      <h2>Set where the forge runs</h2>
      <p class="muted">
        In <code>hearth.toml</code>, or as a variable: <code>mail.from</code> is <code>HEARTH_MAIL_FROM</code>. They take effect when the forge is started again.
      </p>
      <List label="Other settings">
        {all.filter(({ changeable }) => !changeable).map(({ name, value, source, help }) => (
          <Row
            title={<code>{name}</code>}
            meta={
              <>
                <span>{help}</span>
                {source !== 'default' && <Chip>{SOURCES[source]}</Chip>}
              </>
            }
            end={<code class="muted">{shown(value)}</code>}
          />
        ))}
      </List>
    </AdminFrame>
  ),
})

/** What was typed as the value that a setting takes; the operation says what is wrong with it. */
const typed = (text: string): unknown => (text === '' ? null : text === 'true' ? true : text === 'false' ? false : /^\d{1,15}$/.test(text) ? Number(text) : text)

const givenBy = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(fields.names().filter((name) => name.startsWith('settings.')).map((name) => [name.slice('settings.'.length), typed(fields.text(name).trim())]))

export const siteSettingsForm = action({
  path: PATH,
  page: siteSettingsPage,
  submit: async (visit, fields) => {
    const { all } = await visit.call(getSiteSettings, {})
    const given = givenBy(fields)
    // Only what differs is written, so that the audit log tells what somebody did.
    const changed = Object.entries(given).filter(([name, value]) => {
      const now = all.find((setting) => setting.name === name)
      return now?.source === 'site' ? value !== now.value : value !== null
    })
    if (changed.length > 0) await visit.call(updateSiteSettings, { settings: Object.fromEntries(changed) })
    return flashTo(visit, PATH, 'saved')
  },
})
