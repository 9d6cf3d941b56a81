import { choicesOf } from '#core/setting.ts'
import { findSetting } from '#core/setting-list.ts'
import { getSiteSettings, updateSiteSettings, type SiteSetting } from '#features/site/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions, Select } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Chip } from '../../components/state.tsx'
import { bytesText } from '../../format.ts'
import { action, redirectWithFlash, page, type Fields, type Visit } from '../../site.ts'
import { formError } from '../shell.tsx'
import { AdminFrame } from './frame.tsx'
import { localized, rich, t, texts, tn } from '../../text.ts'
import { translateMessage } from '../../messages.ts'

const PATH = '/admin/settings'
const SOURCES: Record<SiteSetting['source'], string> = texts({
  default: 'default',
  file: 'from hearth.toml',
  environment: 'from the environment',
  flag: 'from a flag',
  site: 'set here',
})

const shown = (value: unknown): string =>
  value === null || (Array.isArray(value) && value.length === 0)
    ? t('not set')
    : Array.isArray(value)
      ? value.map(String).join(', ')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)

const isBytes = (name: string): boolean => findSetting(name)?.unit === 'bytes'

/** The option that removes the value set here. */
const CONFIGURED = ''

const Input = ({ setting, visit }: { setting: SiteSetting; visit: Visit }) => {
  const { name, value, help, source } = setting
  const field = `settings.${name}`
  const error = visit.form.error?.field === field ? visit.form.error.message : undefined
  const now = visit.form.values.has(field)
    ? visit.form.values.text(field)
    : source === 'site'
      ? String(value)
      : CONFIGURED
  const hint = (
    <>
      {rich('{help}{name} Now {name2}, {sources}.', {
        help: translateMessage(help),
        name: isBytes(name) && ` ${t('Bytes, or such as 512 MiB.')}`,
        name2: (
          <code>
            {isBytes(name) && typeof value === 'number' ? bytesText(value) : shown(value)}
          </code>
        ),
        sources: SOURCES[source],
      })}
    </>
  )
  const declared = findSetting(name)
  const words = typeof value === 'boolean' ? ['true', 'false'] : declared && choicesOf(declared)
  if (words === null)
    return (
      <Field
        name={field}
        label={name}
        value={now}
        placeholder={source === 'site' ? undefined : shown(value)}
        hint={hint}
        error={error}
        unmarked
        mono
      />
    )
  return (
    <Select
      name={field}
      label={name}
      value={now}
      hint={hint}
      error={error}
      unmarked
      options={[
        { value: CONFIGURED, label: t('from the configuration') },
        ...words.map((word) => ({ value: word, label: word })),
      ]}
    />
  )
}

/** The settings that can be changed here, by subject. Those of later releases come last. */
const GROUPS: readonly { readonly title: string; readonly of: (name: string) => boolean }[] =
  localized([
    {
      title: 'People and repositories',
      of: (name: string) => /^(accounts|workspaces|repos)\./.test(name),
    },
    { title: 'Backups', of: (name: string) => name.startsWith('backups.') },
    { title: 'Limits', of: (name: string) => /^(limits|git|archives|releases)\./.test(name) },
    {
      title: 'Logging and retention',
      of: (name: string) => /^(audit|checks)\.|^log_/.test(name),
    },
    { title: 'More', of: () => true },
  ])
const byGroup = (settings: readonly SiteSetting[]): [string, SiteSetting[]][] => {
  const groups = Map.groupBy(settings, ({ name }) => GROUPS.find(({ of }) => of(name))?.title ?? '')
  return GROUPS.flatMap(({ title }): [string, SiteSetting[]][] =>
    groups.has(title) ? [[title, groups.get(title) ?? []]] : [],
  )
}

/** Groups them by the section of the file. Those at its top come first. */
const bySection = (settings: readonly SiteSetting[]): [string, SiteSetting[]][] =>
  [
    ...Map.groupBy(settings, ({ name }) =>
      name.includes('.') ? name.slice(0, name.indexOf('.')) : 'general',
    ),
  ].sort(([a], [b]) => (a === 'general' ? -1 : b === 'general' ? 1 : a.localeCompare(b)))

const ConfigurationHint = () => (
  <p class="muted">
    {rich(
      'In {file}, or as a variable: {setting} is {variable}. They take effect when the forge is started again.',
      {
        file: <code>hearth.toml</code>,
        setting: <code>mail.from</code>,
        variable: <code>HEARTH_MAIL_FROM</code>,
      },
    )}
  </p>
)

export const siteSettingsPage = page({
  path: PATH,
  load: (visit) => visit.call(getSiteSettings, {}),
  view: ({ all }, visit) => (
    <AdminFrame
      visit={visit}
      title={t('Settings')}
      lead={t('Settings here take effect at once and override hearth.toml and the environment.')}
    >
      <Card title={t('Set here')}>
        <Form
          action={PATH}
          csrf={visit.csrf}
          error={visit.form.error?.field?.startsWith('settings.') ? null : formError(visit)}
        >
          <p class="muted">{t('Without a value here, the configuration applies.')}</p>
          {byGroup(all.filter(({ changeable }) => changeable)).map(([title, settings]) => (
            <fieldset class="settings-group">
              <legend>{title}</legend>
              {settings.map((setting) => (
                <Input setting={setting} visit={visit} />
              ))}
            </fieldset>
          ))}
          <FormActions>
            <Button variant="primary">{t('Save')}</Button>
          </FormActions>
        </Form>
      </Card>
      <h2>{t('Set on the server')}</h2>
      <ConfigurationHint />
      {bySection(all.filter(({ changeable }) => !changeable)).map(([section, settings]) => (
        <details class="more">
          <summary>
            <code>{section}</code> {tn('{count} setting', '{count} settings', settings.length)}
            {settings.some(({ source }) => source !== 'default') && <Chip>{t('changed')}</Chip>}
          </summary>
          <List label={t('Settings of {section}', { section })}>
            {settings.map(({ name, value, source, help }) => (
              <Row
                title={<code>{name}</code>}
                meta={
                  <>
                    <span>{translateMessage(help)}</span>
                    {source !== 'default' && <Chip>{SOURCES[source]}</Chip>}
                  </>
                }
                end={<code class="muted">{shown(value)}</code>}
              />
            ))}
          </List>
        </details>
      ))}
    </AdminFrame>
  ),
})

const UNITS = ['kib', 'mib', 'gib', 'tib']

/** The typed text as the value of a setting. The operation reports errors. */
function typed(name: string, text: string): unknown {
  const [, number = '', unit = ''] = /^(\d{1,6}) ?(kib|mib|gib|tib)$/i.exec(text) ?? []
  if (number !== '' && isBytes(name))
    return Number(number) * 1024 ** (UNITS.indexOf(unit.toLowerCase()) + 1)
  return text === ''
    ? null
    : text === 'true'
      ? true
      : text === 'false'
        ? false
        : /^\d{1,15}$/.test(text)
          ? Number(text)
          : text
}

const givenBy = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    fields
      .names()
      .filter((name) => name.startsWith('settings.'))
      .map((name) => [name.slice('settings.'.length), typed(name, fields.text(name).trim())]),
  )

export const siteSettingsForm = action({
  path: PATH,
  page: siteSettingsPage,
  submit: async (visit, fields) => {
    const { all } = await visit.call(getSiteSettings, {})
    const given = givenBy(fields)
    // Only changed settings are written, so that the audit log shows what was done.
    const changed = Object.entries(given).filter(([name, value]) => {
      const now = all.find((setting) => setting.name === name)
      return now?.source === 'site' ? value !== now.value : value !== null
    })
    if (changed.length > 0)
      await visit.call(updateSiteSettings, { settings: Object.fromEntries(changed) })
    return redirectWithFlash(visit, PATH, 'saved')
  },
})
