// What an admin of a package changes on its page: link, visibility, deletion.
import {
  deletePackage,
  deletePackageVersion,
  getPackage,
  linkPackage,
  restorePackage,
  restorePackageVersion,
  unlinkPackage,
  updatePackage,
  type Package,
} from '#features/packages/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Checkbox,
  Field,
  Form,
  FormActions,
  Select,
} from '../../components/index.ts'
import { workspacePath } from '../../paths.ts'
import {
  action,
  page,
  redirectWithFlash,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { t } from '../../text.ts'
import { loadPickableRepos, RepoPicker, type PickableNames } from '../repos/name-pickers.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { loadAsAdmin, PackageFrame, pathOf, targetOf } from './package-frame.tsx'
import { packagePath } from './package-parts.tsx'

const ChangeCard = ({ visit, item }: { visit: Visit; item: Package }) => {
  const action = packagePath(item, '/change')
  const at = visitForForm(visit, action)
  return (
    <Card title={t('Settings')}>
      <Form
        action={action}
        csrf={visit.csrf}
        error={formError(at, 'description')}
        label={t('Settings')}
      >
        <Field
          name="description"
          label={t('Description')}
          maxlength={1000}
          value={at.form.values.optional('description') ?? item.description ?? ''}
          error={fieldError(at, 'description')}
        />
        {item.repository === null ? (
          <Select
            name="visibility"
            label={t('Visibility')}
            value={item.visibility}
            hint={t(
              'Public: anyone may install it. While one package of a type is private, strangers need a token for every name of that type.',
            )}
            options={[
              { value: 'private', label: t('Private') },
              { value: 'public', label: t('Public') },
            ]}
          />
        ) : (
          <Checkbox
            name="inherit_access"
            label={t('People have the roles that they have in the repository')}
            checked={item.inherit_access}
          />
        )}
        <FormActions>
          <Button>{t('Save settings')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const LinkCard = ({
  visit,
  item,
  repos,
}: {
  visit: Visit
  item: Package
  repos: PickableNames
}) => {
  const action = packagePath(item, '/link')
  const at = visitForForm(visit, action)
  return (
    <Card title={t('Repository')}>
      {item.repository === null ? (
        <Form
          action={action}
          csrf={visit.csrf}
          error={formError(at, 'repository')}
          label={t('Repository')}
        >
          <RepoPicker
            name="repository"
            label={t('Repository of this workspace')}
            repos={repos}
            value={at.form.values.text('repository')}
            error={fieldError(at, 'repository')}
            hint={t(
              'The package takes its visibility and roles, and its workflows may publish it.',
            )}
          />
          <FormActions>
            <Button icon="link">{t('Link repository')}</Button>
          </FormActions>
        </Form>
      ) : (
        <FormActions>
          <ActionButton action={packagePath(item, '/unlink')} csrf={visit.csrf}>
            <Button>{t('Unlink {name}', { name: item.repository.full_name })}</Button>
          </ActionButton>
        </FormActions>
      )}
    </Card>
  )
}

/** Deletes a package, or purges one that is deleted. */
const DeleteCard = ({ visit, item }: { visit: Visit; item: Package }) => {
  const action = packagePath(item, '/delete')
  const at = visitForForm(visit, action)
  const isDeleted = item.deleted_at !== null
  const title = isDeleted ? t('Purge package') : t('Delete package')
  return (
    <Card title={title} tone="bad">
      <Form action={action} csrf={visit.csrf} error={formError(at, 'confirm')} label={title}>
        <Field
          name="confirm"
          label={t('Type {name} to be sure', { name: item.name })}
          hint={
            isDeleted
              ? t(
                  'Nobody can bring it back afterwards. Its numbers stay refused for other content.',
                )
              : t('Downloads end at once. It can be restored for 30 days.')
          }
          required
          mono
          autocomplete="off"
          value={at.form.values.text('confirm')}
          error={fieldError(at, 'confirm')}
        />
        <FormActions>
          <Button variant="danger" icon="trash">
            {title}
          </Button>
        </FormActions>
      </Form>
    </Card>
  )
}

export const packageSettingsPage = page({
  path: '/:workspace/-/packages/:type/:name/settings',
  load: async (visit) => {
    const loaded = await loadAsAdmin(visit)
    return loaded && { ...loaded, repos: await loadPickableRepos(visit, loaded.item.workspace) }
  },
  view: ({ item, workspace, repos }, visit) => (
    <PackageFrame visit={visit} workspace={workspace} item={item} current="settings">
      {item.deleted_at === null && (
        <>
          <ChangeCard visit={visit} item={item} />
          <LinkCard visit={visit} item={item} repos={repos} />
        </>
      )}
      <DeleteCard visit={visit} item={item} />
    </PackageFrame>
  ),
})

const versionOf = (fields: { text(name: string): string }): string => fields.text('version')

const at = (rest: string): string => `/:workspace/-/packages/:type/:name/${rest}`

const changeForms: readonly SiteForm[] = [
  action({
    path: at('change'),
    page: packageSettingsPage,
    submit: async (visit, fields) => {
      const visibility = fields.optional('visibility')
      await visit.call(updatePackage, {
        ...targetOf(visit),
        description: fields.text('description'),
        ...(visibility === undefined
          ? { inherit_access: fields.ticked('inherit_access') }
          : { visibility: visibility === 'public' ? 'public' : 'private' }),
      })
      return redirectWithFlash(visit, pathOf(visit, '/settings'), 'saved')
    },
  }),
  action({
    path: at('link'),
    page: packageSettingsPage,
    submit: async (visit, fields) => {
      const repository = fields.text('repository').trim()
      await visit.call(linkPackage, { ...targetOf(visit), repository })
      return redirectWithFlash(visit, pathOf(visit, '/settings'), 'package-linked')
    },
  }),
  action({
    path: at('unlink'),
    page: packageSettingsPage,
    submit: async (visit) => {
      await visit.call(unlinkPackage, targetOf(visit))
      return redirectWithFlash(visit, pathOf(visit, '/settings'), 'package-unlinked')
    },
  }),
]

const deletionForms = (page: Page): SiteForm[] => [
  action({
    path: at('delete'),
    page: packageSettingsPage,
    submit: async (visit, fields) => {
      const target = targetOf(visit)
      const { deleted_at } = await visit.call(getPackage, target)
      await visit.call(deletePackage, { ...target, confirm: fields.text('confirm') })
      return redirectWithFlash(
        visit,
        workspacePath(target.workspace, 'packages?state=deleted'),
        deleted_at === null ? 'package-deleted' : 'package-purged',
      )
    },
  }),
  action({
    path: at('restore'),
    page,
    submit: async (visit) => {
      await visit.call(restorePackage, targetOf(visit))
      return redirectWithFlash(visit, pathOf(visit), 'package-restored')
    },
  }),
  action({
    path: at('delete-version'),
    page,
    submit: async (visit, fields) => {
      const version = versionOf(fields)
      await visit.call(deletePackageVersion, { ...targetOf(visit), version })
      return redirectWithFlash(visit, pathOf(visit), 'version-deleted')
    },
  }),
  action({
    path: at('restore-version'),
    page,
    submit: async (visit, fields) => {
      const version = versionOf(fields)
      await visit.call(restorePackageVersion, { ...targetOf(visit), version })
      return redirectWithFlash(visit, pathOf(visit), 'version-restored')
    },
  }),
]

/** `page` is the one that shows its forms again when they are refused. */
export const packageForms = (page: Page): SiteForm[] => [...changeForms, ...deletionForms(page)]
