// The privileges of members, and the forms that change a workspace as a whole: address, deletion.
import type { Workspace } from '#features/workspaces/index.ts'
import { Button, Card, Checkbox, Field, Form, FormActions, Select } from '../../components/index.ts'
import { workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'

/** The privileges that are checkboxes, with their labels. */
export const TICKS = [
  ['members_can_create_public_repositories', 'Members may make public repositories'],
  ['members_can_create_private_repositories', 'Members may make private repositories'],
  ['members_can_change_repo_visibility', 'Admins of a repository may change who sees it'],
  ['members_can_delete_repositories', 'Admins of a repository may delete it'],
  [
    'members_can_invite_outside_collaborators',
    'Admins of a repository may invite people from outside',
  ],
  ['two_factor_requirement_enabled', 'Everyone must sign in with a second factor'],
] as const

export const Privileges = ({ visit, workspace }: { visit: Visit; workspace: Workspace }) => (
  <Card title="What members may do">
    <Form
      action={workspacePath(workspace.slug, 'settings/privileges')}
      csrf={visit.csrf}
      error={visit.form.values.has('team_creation') ? formError(visit) : null}
    >
      <Select
        name="team_creation"
        label="Who may make teams"
        required
        value={visit.form.values.optional('team_creation') ?? workspace.team_creation}
        options={[
          { value: 'members', label: 'All members' },
          { value: 'owners', label: 'Owners only' },
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
              ? 'Members without one see nothing private here until they turn it on. You need one yourself.'
              : undefined
          }
        />
      ))}
      <FormActions>
        <Button variant="primary">Save</Button>
      </FormActions>
    </Form>
  </Card>
)

export const Danger = ({ visit, workspace }: { visit: Visit; workspace: Workspace }) => {
  const { values } = visit.form
  const [renaming, deleting] = [values.has('slug'), values.has('confirm')]
  return (
    <Card title="Danger zone" tone="bad">
      <section class="stack">
        <h3>Rename</h3>
        <p class="muted">
          Old addresses of the workspace and of all its repositories lead to the new slug, until
          somebody else takes the old one.
        </p>
        <Form
          action={workspacePath(workspace.slug, 'settings/rename')}
          csrf={visit.csrf}
          error={renaming ? formError(visit, 'slug') : null}
          label="Rename"
        >
          <Field
            name="slug"
            label="New address"
            required
            mono
            maxlength={39}
            value={values.optional('slug') ?? workspace.slug}
            error={renaming ? fieldError(visit, 'slug') : null}
          />
          <FormActions>
            <Button variant="danger">Rename</Button>
          </FormActions>
        </Form>
      </section>
      <section class="stack">
        <h3>Delete</h3>
        <p class="muted">
          Only without repositories; deleted ones count until they are purged. Teams, invitations
          and the workspace's tokens go with it.
        </p>
        <Form
          action={workspacePath(workspace.slug, 'settings/delete')}
          csrf={visit.csrf}
          error={deleting ? formError(visit, 'confirm') : null}
          label="Delete"
        >
          <Field
            name="confirm"
            label={`Type ${workspace.slug} to be sure`}
            required
            mono
            autocomplete="off"
            value={values.text('confirm')}
            error={deleting ? fieldError(visit, 'confirm') : null}
          />
          <FormActions>
            <Button variant="danger">Delete the workspace</Button>
          </FormActions>
        </Form>
      </section>
    </Card>
  )
}
