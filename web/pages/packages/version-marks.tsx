// Yanking and deprecating a version, for whoever may publish the package.
import { markPackageVersion, type Package, type PackageVersion } from '#features/packages/index.ts'
import { ActionButton, Button, Field, Form, FormActions } from '../../components/index.ts'
import {
  action,
  redirectWithFlash,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { t } from '../../text.ts'
import { pathOf, targetOf } from './package-frame.tsx'
import { packagePath } from './package-parts.tsx'

/** The types whose clients hear of it. */
const YANKED_TYPES: readonly string[] = ['cargo', 'nuget', 'rubygems', 'pypi']
const DEPRECATED_TYPES: readonly string[] = ['npm', 'nuget']

export const canMark = (item: Package, version: PackageVersion): boolean =>
  item.permissions.write &&
  item.deleted_at === null &&
  version.deleted_at === null &&
  [...YANKED_TYPES, ...DEPRECATED_TYPES].includes(item.package_type)

type Props = { visit: Visit; item: Package; version: PackageVersion }

const YankButton = ({ visit, item, version }: Props) => (
  <>
    <p class="muted small">
      {t(
        'Clients do not choose a yanked version by themselves. Whoever names its number still gets it.',
      )}
    </p>
    <ActionButton
      action={packagePath(item, '/yank-version')}
      csrf={visit.csrf}
      values={{ version: version.version, yanked: version.yanked ? 'no' : 'yes' }}
    >
      <Button small>
        {version.yanked ? t('Unyank version') : t('Yank version')}
        <span class="unseen"> {version.version}</span>
      </Button>
    </ActionButton>
  </>
)

const DeprecationForm = ({ visit, item, version }: Props) => (
  <Form
    action={packagePath(item, '/deprecate-version')}
    csrf={visit.csrf}
    label={t('Deprecate version {version}', { version: version.version })}
  >
    <input type="hidden" name="version" value={version.version} />
    <Field
      label={t('Deprecation message')}
      name="deprecated"
      id={`deprecated-${version.id}`}
      value={version.deprecated ?? ''}
      hint={t('Clients show it to whoever installs the version. Empty for none.')}
      maxlength={1000}
    />
    <FormActions>
      <Button small>{t('Save message')}</Button>
    </FormActions>
  </Form>
)

export const VersionMarks = (props: Props) => {
  const yanks = YANKED_TYPES.includes(props.item.package_type)
  const deprecates = DEPRECATED_TYPES.includes(props.item.package_type)
  return (
    <details class="row-more">
      <summary>
        {yanks && deprecates ? t('Yank or deprecate') : yanks ? t('Yank') : t('Deprecate')}
        <span class="unseen"> {props.version.version}</span>
      </summary>
      {yanks && <YankButton {...props} />}
      {deprecates && <DeprecationForm {...props} />}
    </details>
  )
}

/** `page` is the one that shows its forms again when they are refused. */
export const versionMarkForms = (page: Page): SiteForm[] => [
  action({
    path: '/:workspace/-/packages/:type/:name/yank-version',
    page,
    submit: async (visit, fields) => {
      const yanked = fields.text('yanked') === 'yes'
      await visit.call(markPackageVersion, {
        ...targetOf(visit),
        version: fields.text('version'),
        yanked,
      })
      return redirectWithFlash(visit, pathOf(visit), yanked ? 'version-yanked' : 'version-unyanked')
    },
  }),
  action({
    path: '/:workspace/-/packages/:type/:name/deprecate-version',
    page,
    submit: async (visit, fields) => {
      await visit.call(markPackageVersion, {
        ...targetOf(visit),
        version: fields.text('version'),
        deprecated: fields.text('deprecated').trim() || null,
      })
      return redirectWithFlash(visit, pathOf(visit), 'saved')
    },
  }),
]
