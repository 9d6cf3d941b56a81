import { updateProfile, whoami, type CurrentUser } from '#features/workspaces/index.ts'
import { lazy } from '#lib/lazy.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions, Select, TextArea, type Option } from '../../components/form.tsx'
import { redirectWithFlash, form, page, redirect, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { t, texts } from '../../text.ts'

const PARTS = [
  'name',
  'bio',
  'pronouns',
  'company',
  'location',
  'website',
  'time_zone',
  'language',
] as const

/** The typed value of a refused form, else the stored one. */
const valueOf = (visit: Visit, me: CurrentUser, part: (typeof PARTS)[number]): string =>
  visit.form.error ? visit.form.values.text(part) : (me[part] ?? '')

const NOT_SET: Option = texts({ value: '', label: 'Not set' })
const timeZones = lazy((): readonly Option[] => [
  NOT_SET,
  ...[...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
    value: zone,
    label: zone.replaceAll('_', ' '),
  })),
])
const LANGUAGE_TAGS =
  'ar bg bn ca cs da de el en en-GB en-US es et fa fi fr he hi hr hu id it ja ko lt lv nb nl pl pt pt-BR ro ru sk sl sr sv sw ta th tr uk ur vi zh-Hans zh-Hant'
/** Each language by its own name. */
const languages = lazy((): readonly Option[] => [
  NOT_SET,
  ...LANGUAGE_TAGS.split(' ').map((tag) => ({
    value: tag,
    label: new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag,
  })),
])

/** A value that was stored through the API may be none of the list. */
const withStored = (options: readonly Option[], value: string): readonly Option[] =>
  options.some((option) => option.value === value) ? options : [...options, { value, label: value }]

const ProfileForm = ({
  visit,
  field,
}: {
  visit: Visit
  field: (name: (typeof PARTS)[number]) => { name: string; value: string; error: string | null }
}) => (
  <Form action="/settings/profile" csrf={visit.csrf} error={formError(visit, ...PARTS)}>
    <Field {...field('name')} label={t('Name')} maxlength={80} autocomplete="name" />
    <TextArea
      {...field('bio')}
      label={t('About you')}
      rows={3}
      maxlength={280}
      hint={t('At most 280 characters.')}
    />
    <Field {...field('pronouns')} label={t('Pronouns')} maxlength={40} />
    <Field {...field('company')} label={t('Company')} maxlength={80} autocomplete="organization" />
    <Field {...field('location')} label={t('Location')} maxlength={80} />
    <Field
      {...field('website')}
      label={t('Website')}
      maxlength={200}
      autocomplete="url"
      placeholder={t('https://')}
    />
    <Select
      {...field('time_zone')}
      label={t('Time zone')}
      areNames
      options={withStored(timeZones(), field('time_zone').value)}
    />
    <Select
      {...field('language')}
      label={t('Language')}
      areNames
      options={withStored(languages(), field('language').value)}
    />
    <FormActions>
      <Button variant="primary">{t('Save')}</Button>
    </FormActions>
  </Form>
)

export const profilePage = page({
  path: '/settings/profile',
  load: (visit) => visit.call(whoami, {}),
  view: (me, visit) => {
    const field = (name: (typeof PARTS)[number]) => ({
      name,
      value: valueOf(visit, me, name),
      error: fieldError(visit, name),
    })
    return (
      <SettingsFrame
        visit={visit}
        title={t('Profile')}
        current="profile"
        lead={t('Your public profile. All fields are optional.')}
      >
        <Card
          title={
            <>
              <Avatar of={{ username: me.username, name: me.name }} size={24} /> {me.username}
            </>
          }
        >
          <ProfileForm visit={visit} field={field} />
        </Card>
      </SettingsFrame>
    )
  },
})

export const profileForm = form({
  path: '/settings/profile',
  page: profilePage,
  operation: updateProfile,
  input: (fields) => Object.fromEntries(PARTS.map((part) => [part, fields.text(part)])),
  done: (_, visit) => redirectWithFlash(visit, '/settings/profile', 'saved'),
})

export const settingsPage = page({
  path: '/settings',
  load: () => redirect('/settings/profile', 302),
  view: () => <></>,
})
