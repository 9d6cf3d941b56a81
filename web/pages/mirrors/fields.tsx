// The fields of a mirror link and of its settings.
import type { Mirror } from '#features/mirrors/index.ts'
import {
  Button,
  Checkbox,
  Field,
  Form,
  FormActions,
  Radio,
  FieldSet,
  Select,
} from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'

const RoleFields = ({ follows }: { follows: boolean }) => (
  <FieldSet legend={t('Direction')}>
    <Radio
      name="role"
      value="leader"
      label={t('Pull: follow the remote')}
      hint={t(
        'This repository follows it, and can take over when it fails. Until then pushes are refused here.',
      )}
      checked={!follows}
    />
    <Radio
      name="role"
      value="follower"
      label={t('Push: update the remote')}
      hint={t('The remote gets every push.')}
      checked={follows}
    />
  </FieldSet>
)

const ProviderField = ({ value }: { value: string }) => (
  <Select
    name="provider"
    label={t('Kind of forge')}
    value={value}
    options={[
      { value: 'generic', label: t('A plain git server') },
      { value: 'gitea', label: t('Gitea or Forgejo') },
      { value: 'github', label: t('GitHub') },
      { value: 'gitlab', label: t('GitLab') },
    ]}
    hint={t('Results of checks are reported to forges as commit statuses, with the token.')}
  />
)

export const NewMirrorForm = ({
  visit,
  action,
  hasLeader,
}: {
  visit: Visit
  action: string
  /** Whether a remote leads already. There is only one. */
  hasLeader: boolean
}) => {
  const { values, error } = visit.form
  const typed = error !== null && values.text('form') === 'new'
  const wrong = (name: string) => (typed ? fieldError(visit, name) : null)
  const shown = (name: string) => (typed ? values.text(name) : '')
  const follows = typed ? values.text('role') === 'follower' : hasLeader
  return (
    <Form
      action={action}
      csrf={visit.csrf}
      label={t('New mirror')}
      error={typed ? formError(visit, 'url', 'name', 'secret', 'username') : null}
    >
      <input type="hidden" name="form" value="new" />
      <RoleFields follows={follows} />
      <Field
        name="url"
        label={t('Address')}
        required
        mono
        maxlength={2000}
        placeholder={t('https://example.com/acme/site.git')}
        value={shown('url')}
        error={wrong('url')}
        hint={t(
          'The address for git clone, without a password: https://…, or ssh://git@example.com/acme/site.git with a key that this page shows afterwards.',
        )}
      />
      <p class="muted">{t('A mirror carries commits, tags and large files (Git LFS).')}</p>
      <Field
        name="name"
        label={t('Name')}
        maxlength={60}
        value={shown('name')}
        error={wrong('name')}
        hint={t('What people here call the remote. Left empty, it is its host.')}
      />
      <ProviderField value={typed ? values.text('provider') : 'generic'} />
      <SecretFields visit={visit} typed={typed} />
      <FormActions>
        <Button variant="primary" icon="plus">
          {t('Create mirror')}
        </Button>
      </FormActions>
    </Form>
  )
}

const SecretFields = ({ visit, typed, id }: { visit: Visit; typed: boolean; id?: string }) => (
  <>
    <Field
      id={id && `${id}-username`}
      name="username"
      label={t('Username')}
      maxlength={200}
      autocomplete="off"
      value={typed ? visit.form.values.text('username') : ''}
      error={typed ? fieldError(visit, 'username') : null}
      hint={t('Only with a password; a token needs none.')}
    />
    <Field
      id={id && `${id}-secret`}
      name="secret"
      type="password"
      label={t('Token or password')}
      maxlength={2000}
      autocomplete="new-password"
      error={typed ? fieldError(visit, 'secret') : null}
      hint={t('Stored encrypted and never shown again.')}
    />
  </>
)

const SettingFields = ({ mirror }: { mirror: Mirror }) => {
  const { settings, id } = mirror
  return (
    <>
      <Field
        id={`${id}-take_over_after`}
        name="take_over_after"
        label={t('Take over by itself after minutes')}
        type="number"
        min={5}
        max={10080}
        value={settings.take_over_after === null ? '' : String(settings.take_over_after)}
        hint={t('Without the remote, from 5 to 10,080 (a week). Left empty: never.')}
      />
      <Select
        id={`${id}-hand_back`}
        name="hand_back"
        label={t('Hand back')}
        value={settings.hand_back}
        options={[
          { value: 'manual', label: t('By hand') },
          { value: 'automatic', label: t('By itself, when nothing conflicts') },
        ]}
      />
      <Select
        id={`${id}-remote_pushes`}
        name="remote_pushes"
        label={t('Commits on the remote during a takeover')}
        value={settings.remote_pushes}
        options={[
          { value: 'hold', label: t('Keep aside until the hand back') },
          { value: 'fast_forward', label: t('Take those that only add') },
          { value: 'refuse', label: t('Overwrite at the hand back') },
        ]}
      />
      <Checkbox
        id={`${id}-keep_ci_warm`}
        name="keep_ci_warm"
        label={t('Run workflows here as well while the remote leads')}
        checked={settings.keep_ci_warm}
      />
      {mirror.provider !== 'gitlab' && (
        <Checkbox
          id={`${id}-ext_workflows`}
          name="ext_workflows"
          label={t('Run the workflow files of the remote’s forge here, beside .hearth/workflows')}
          checked={settings.ext_workflows}
        />
      )}
      <Checkbox
        id={`${id}-hold_deploys`}
        name="hold_deploys"
        label={t('Deployments wait for approval while the remote is away')}
        checked={settings.hold_deploys}
      />
    </>
  )
}

const HostKeyField = ({
  visit,
  mirror,
  typed,
}: {
  visit: Visit
  mirror: Mirror
  typed: boolean
}) =>
  mirror.ssh_public_key === null ? null : (
    <Field
      id={`${mirror.id}-host_key`}
      name="host_key"
      label={t('Fingerprint of the host key')}
      mono
      maxlength={50}
      placeholder={t('SHA256:…')}
      value={mirror.host_key ?? ''}
      error={typed ? fieldError(visit, 'host_key') : null}
      hint={t(
        'The only key that the remote may show. Change it when the remote has a new one. Left empty, the next contact decides.',
      )}
    />
  )

export const EditMirrorForm = ({
  visit,
  mirror,
  action,
}: {
  visit: Visit
  mirror: Mirror
  action: string
}) => {
  const typed = visit.form.error !== null && visit.form.values.text('form') === mirror.id
  return (
    <details class="more" open={typed}>
      <summary>{t('Edit')}</summary>
      <Form
        action={action}
        csrf={visit.csrf}
        label={t('Edit {name}', { name: mirror.name })}
        error={typed ? formError(visit, 'url', 'secret', 'username', 'name', 'host_key') : null}
      >
        <input type="hidden" name="form" value={mirror.id} />
        <input type="hidden" name="id" value={mirror.id} />
        <Field
          id={`${mirror.id}-url`}
          name="url"
          label={t('Address')}
          required
          mono
          maxlength={2000}
          value={mirror.url}
          error={typed ? fieldError(visit, 'url') : null}
        />
        <HostKeyField visit={visit} mirror={mirror} typed={typed} />
        <SecretFields visit={visit} typed={typed} id={mirror.id} />
        <Select
          id={`${mirror.id}-notify`}
          name="notify"
          label={t('Mail about changes of the state')}
          value={mirror.settings.notify}
          options={[
            { value: 'none', label: t('Nobody') },
            { value: 'admins', label: t('Administrators') },
            { value: 'members', label: t('Members of the workspace') },
          ]}
        />
        <Checkbox
          id={`${mirror.id}-report_checks`}
          name="report_checks"
          label={t('Report results of checks to the remote')}
          checked={mirror.settings.report_checks}
        />
        {mirror.role === 'leader' && <SettingFields mirror={mirror} />}
        <FormActions>
          <Button>{t('Save')}</Button>
        </FormActions>
      </Form>
    </details>
  )
}

const oneOf = <const T extends readonly string[]>(words: T, value: string): T[number] | undefined =>
  words.find((word) => word === value)

/** The kind of forge that a form names; generic for any other text. */
export const providerFrom = (fields: Fields) =>
  oneOf(['gitea', 'forgejo', 'github', 'gitlab'], fields.text('provider')) ?? 'generic'

/** The settings as the form sends them. A follower's form has only two of them. */
export function settingsFrom(fields: Fields) {
  const notify = oneOf(['none', 'admins', 'members'], fields.text('notify'))
  const hand_back = oneOf(['manual', 'automatic'], fields.text('hand_back'))
  const report_checks = fields.ticked('report_checks')
  if (hand_back === undefined) return { notify, report_checks }
  const minutes = fields.text('take_over_after').trim()
  return {
    notify,
    report_checks,
    hand_back,
    take_over_after: minutes === '' ? null : Number(minutes),
    remote_pushes: oneOf(['hold', 'fast_forward', 'refuse'], fields.text('remote_pushes')),
    keep_ci_warm: fields.ticked('keep_ci_warm'),
    ext_workflows: fields.ticked('ext_workflows'),
    hold_deploys: fields.ticked('hold_deploys'),
  }
}
