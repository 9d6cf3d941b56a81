// The privileges of members, and the forms that change a workspace as a whole: address, deletion.
import type { Workspace } from '#features/workspaces/index.ts'
import { Button, Card, Checkbox, Field, Form, FormActions, Select } from '../../components/index.ts'
import { workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { localized, t } from '../../text.ts'

/** The privileges that are checkboxes, with their labels. */
export const TICKS = localized([
  ['members_can_create_public_repositories', 'Members may create public repositories'],
  ['members_can_create_private_repositories', 'Members may create private repositories'],
  ['members_can_change_repo_visibility', 'Admins of a repository may change who sees it'],
  ['members_can_delete_repositories', 'Admins of a repository may delete it'],
  [
    'members_can_invite_outside_collaborators',
    'Admins of a repository may invite people from outside',
  ],
  ['two_factor_requirement_enabled', 'Require two-factor authentication'],
  ['memory_review', 'What agents remember waits a day for review'],
  ['secret_scanning_required', 'Every repository is scanned for secrets'],
  ['push_protection_required', 'Every repository refuses pushes that add a secret'],
] as const)

export const Privileges = ({ visit, workspace }: { visit: Visit; workspace: Workspace }) => (
  <Card title={t('What members may do')}>
    <Form
      action={workspacePath(workspace.slug, 'settings/privileges')}
      csrf={visit.csrf}
      error={visit.form.values.has('team_creation') ? formError(visit) : null}
    >
      <Select
        name="team_creation"
        label={t('Who may create teams')}
        required
        value={visit.form.values.optional('team_creation') ?? workspace.team_creation}
        options={[
          { value: 'members', label: t('All members') },
          { value: 'owners', label: t('Owners only') },
        ]}
      />
      <Select
        name="package_creation"
        label={t('Who may create packages')}
        required
        value={visit.form.values.optional('package_creation') ?? workspace.package_creation}
        options={[
          { value: 'members', label: t('All members') },
          { value: 'owners', label: t('Owners only') },
        ]}
      />
      {TICKS.map(([name, label]) => (
        <Checkbox
          name={name}
          label={label}
          checked={
            visit.form.values.has('team_creation')
              ? visit.form.values.ticked(name)
              : workspace[name]
          }
          hint={
            name === 'two_factor_requirement_enabled'
              ? t(
                  'Members without it see nothing private here until they turn it on. Turn it on for yourself first.',
                )
              : undefined
          }
        />
      ))}
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const Rename = ({ visit, workspace }: { visit: Visit; workspace: Workspace }) => {
  const { values } = visit.form
  const renaming = values.has('slug')
  return (
    <section class="stack">
      <h3>{t('Rename')}</h3>
      <p class="muted">
        {t(
          'Old addresses of the workspace and of all its repositories lead to the new slug, until somebody else takes the old one.',
        )}
      </p>
      <Form
        action={workspacePath(workspace.slug, 'settings/rename')}
        csrf={visit.csrf}
        error={renaming ? formError(visit, 'slug') : null}
        label={t('Rename')}
      >
        <Field
          name="slug"
          label={t('New address')}
          required
          mono
          maxlength={39}
          value={values.optional('slug') ?? workspace.slug}
          error={renaming ? fieldError(visit, 'slug') : null}
        />
        <FormActions>
          <Button variant="danger">{t('Rename')}</Button>
        </FormActions>
      </Form>
    </section>
  )
}

export const Danger = ({ visit, workspace }: { visit: Visit; workspace: Workspace }) => {
  const { values } = visit.form
  const deleting = values.has('confirm')
  return (
    <Card title={t('Danger zone')} tone="bad">
      <Rename visit={visit} workspace={workspace} />
      <section class="stack">
        <h3>{t('Delete')}</h3>
        <p class="muted">
          {t(
            "Only without repositories; deleted ones count until they are purged. Teams, invitations and the workspace's tokens go with it.",
          )}
        </p>
        <Form
          action={workspacePath(workspace.slug, 'settings/delete')}
          csrf={visit.csrf}
          error={deleting ? formError(visit, 'confirm') : null}
          label={t('Delete')}
        >
          <Field
            name="confirm"
            label={t('Type {slug} to be sure', { slug: workspace.slug })}
            required
            mono
            autocomplete="off"
            value={values.text('confirm')}
            error={deleting ? fieldError(visit, 'confirm') : null}
          />
          <FormActions>
            <Button variant="danger">{t('Delete workspace')}</Button>
          </FormActions>
        </Form>
      </section>
    </Card>
  )
}
