// The theme of the site and the colours of changes, for this browser. Works without an account.
import { updateProfile } from '#features/workspaces/index.ts'
import { appearanceCookie, toAppearance } from '../../appearance.ts'
import {
  Button,
  Card,
  FieldSet,
  Form,
  FormActions,
  PageHead,
  Radio,
  Select,
} from '../../components/index.ts'
import {
  chosenLocale,
  LOCALE_NAMES,
  localeCookie,
  OFFERED_LOCALES,
  toLocale,
  type Locale,
} from '../../locale.ts'
import { percentOf } from '../../locales/index.ts'
import { action, DirectResponse, page, redirect, type Visit } from '../../site.ts'
import { Shell } from '../shell.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { t } from '../../text.ts'

const PATH = '/settings/appearance'

const isSecure = (visit: Visit): boolean => visit.hearth.settings.site_url.startsWith('https:')

const DiffSample = () => (
  <div class="diff-sample" aria-hidden="true">
    <span class="del">−</span>
    <span class="del">
      const target = <mark>200</mark>
    </span>
    <span class="add">+</span>
    <span class="add">
      const target = <mark>230</mark>
    </span>
  </div>
)

/** The name of a language in itself, and how much is translated unless all is. */
function languageName(locale: Locale): string {
  const percent = locale === 'en' || locale === 'en-XA' ? 100 : percentOf(locale)
  return percent === 100 ? LOCALE_NAMES[locale] : `${LOCALE_NAMES[locale]} (${percent} %)`
}

const AppearanceForm = ({ visit }: { visit: Visit }) => {
  const { theme, diffColours } = visit.appearance
  return (
    <Card>
      <Form action={PATH} csrf={visit.csrf}>
        <Select
          name="locale"
          label={t('Language')}
          options={[
            { value: '', label: t('Same as browser') },
            ...OFFERED_LOCALES.map((value) => ({ value, label: languageName(value) })),
          ]}
          value={chosenLocale(visit.request, isSecure(visit)) ?? ''}
        />
        <FieldSet legend={t('Theme')}>
          <Radio
            name="theme"
            value="system"
            label={t('Same as system')}
            checked={theme === 'system'}
          />
          <Radio name="theme" value="light" label={t('Light')} checked={theme === 'light'} />
          <Radio name="theme" value="dark" label={t('Dark')} checked={theme === 'dark'} />
        </FieldSet>
        <FieldSet legend={t('Colors of changes')}>
          <Radio
            name="diff_colours"
            value="usual"
            label={t('Green and red')}
            checked={diffColours === 'usual'}
          />
          <Radio
            name="diff_colours"
            value="distinct"
            label={t('Blue and orange')}
            hint={t('Easier to tell apart with color blindness.')}
            checked={diffColours === 'distinct'}
          />
        </FieldSet>
        <DiffSample />
        <FormActions>
          <Button variant="primary">{t('Save appearance')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

export const appearancePage = page({
  path: PATH,
  view: (_: undefined, visit) =>
    visit.viewer === null ? (
      <Shell visit={visit} title={t('Appearance')} width="narrow" noindex>
        <PageHead title={t('Appearance')} lead={t('Saved in this browser.')} />
        <AppearanceForm visit={visit} />
      </Shell>
    ) : (
      <SettingsFrame
        visit={visit}
        title={t('Appearance')}
        current="appearance"
        lead={t(
          'Theme and language are saved in your account, the colors of changes in this browser.',
        )}
      >
        <AppearanceForm visit={visit} />
      </SettingsFrame>
    ),
})

export const appearanceForm = action({
  path: PATH,
  page: appearancePage,
  allowsAnonymous: true,
  submit: async (visit, fields) => {
    const chosen = toAppearance(fields.text('theme'), fields.text('diff_colours'))
    const secure = isSecure(visit)
    const locale = toLocale(fields.text('locale'))
    if (visit.viewer !== null)
      await visit.call(updateProfile, { theme: chosen.theme, locale: locale ?? '' })
    const { response } = redirect(PATH)
    response.headers.append('set-cookie', appearanceCookie(chosen, { secure }))
    response.headers.append('set-cookie', localeCookie(locale, { secure }))
    return new DirectResponse(response)
  },
})
