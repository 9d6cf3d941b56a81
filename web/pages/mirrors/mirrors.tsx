// Mirror links of a repository: who leads and why, what to do, and what was kept.
import {
  createMirror,
  deleteMirror,
  getMirror,
  handBackMirror,
  listKeptMirrorRefs,
  moveMirrorToService,
  restoreKeptMirrorRef,
  syncMirror,
  takeOverMirror,
  updateMirror,
  type Mirror,
  type MirrorLink,
} from '#features/mirrors/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  CopyField,
  EmptyState,
  Facts,
  Field,
  Form,
  FormActions,
  FormError,
  List,
  Notice,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { repoPath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Fields, type Visit } from '../../site.ts'
import { sentenceOf } from '../../messages.ts'
import { t } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { loadPage, RowSteps, type ListPage } from '../row-form.tsx'
import { RepoSettingsFrame } from '../repos/settings-frame.tsx'
import { EditMirrorForm, NewMirrorForm, providerFrom, settingsFrom } from './fields.tsx'
import { conflictsOf, OTHERS_FIELD, PlanCard } from './plan.tsx'
import { LeadSentence, MirrorBadge, roleText } from './states.tsx'

type KeptRef = {
  readonly sha: string
  readonly ref: string
  readonly side: 'service' | 'remote'
  readonly kept_at: string
}
type Shown = {
  readonly repo: Repo
  readonly link: MirrorLink
  readonly kept: ListPage<KeptRef>
}

const BASE = '/:workspace/:repo/settings/mirror'
const mirrorPath = (visit: Visit, rest = ''): string =>
  repoPath(repoOf(visit), `/settings/mirror${rest}`)

const Step = ({
  visit,
  to,
  values = {},
  label,
  variant,
}: {
  visit: Visit
  to: string
  values?: Record<string, string>
  label: string
  variant?: 'primary' | 'danger'
}) => (
  <ActionButton action={mirrorPath(visit, to)} csrf={visit.csrf} values={values}>
    <Button variant={variant}>{label}</Button>
  </ActionButton>
)

/** What can be done with a link in its state, the most likely step first. */
const Steps = ({ visit, mirror, manage }: { visit: Visit; mirror: Mirror; manage: boolean }) => {
  const { id, state } = mirror
  const isStanding = state === 'standing_by' || state === 'ci_failover'
  const isPaused = state === 'paused'
  return (
    <FormActions>
      {manage && isStanding && (
        <Step visit={visit} to="/take-over" label={t('Take over')} variant="primary" />
      )}
      {!isPaused && <Step visit={visit} to="/sync" values={{ id }} label={t('Sync now')} />}
      {manage && state === 'diverged' && (
        <Step
          visit={visit}
          to="/force"
          values={{ id }}
          label={t('Overwrite the remote')}
          variant="danger"
        />
      )}
      {manage && (
        <Step
          visit={visit}
          to="/pause"
          values={{ id, paused: isPaused ? 'false' : 'true' }}
          label={isPaused ? t('Resume') : t('Pause')}
        />
      )}
    </FormActions>
  )
}

const Ending = ({ visit, mirror }: { visit: Visit; mirror: Mirror }) => {
  const canMove = ['standing_by', 'ci_failover', 'takeover'].includes(mirror.state)
  return (
    <details class="more">
      <summary>{t('End this mirror')}</summary>
      {canMove && (
        <>
          <p class="muted">
            {t(
              'Moving here makes this service the home of the repository for good. The remote may follow from then on.',
            )}
          </p>
          <FormActions>
            <Step
              visit={visit}
              to="/move"
              values={{ keep: 'true' }}
              label={t('Move here, and keep the remote updated')}
            />
            <Step visit={visit} to="/move" label={t('Move here')} variant="danger" />
          </FormActions>
        </>
      )}
      <p class="muted">
        {mirror.role === 'leader'
          ? t('Deleting the link changes neither repository. Pushes are accepted here again.')
          : t('Deleting the link changes neither repository. The remote gets no more pushes.')}
      </p>
      <FormActions>
        <Step
          visit={visit}
          to="/delete"
          values={{ id: mirror.id }}
          label={t('Delete mirror')}
          variant="danger"
        />
      </FormActions>
    </details>
  )
}

/** The key that the remote has to accept, until it does. */
const KeyNotice = ({ mirror }: { mirror: Mirror }) =>
  mirror.ssh_public_key === null ? null : (
    <Notice kind={mirror.synced_at === null ? 'wait' : 'info'} title={t('The key of this mirror')}>
      <p>
        {mirror.role === 'leader'
          ? t(
              'Add it at the remote as a deploy key, with write access if you want to hand back. This page goes on within a minute.',
            )
          : t('Add it at the remote as a deploy key with write access. Then sync.')}
      </p>
      <CopyField id={`${mirror.id}-key`} label={t('Public key')} value={mirror.ssh_public_key} />
    </Notice>
  )

const MirrorFacts = ({ mirror, now }: { mirror: Mirror; now: number }) => (
  <Facts
    facts={[
      { label: t('Address'), value: <code>{mirror.url}</code> },
      { label: t('Role'), value: roleText(mirror) },
      ...(mirror.host_key === null
        ? []
        : [{ label: t('Host key'), value: <code>{mirror.host_key}</code> }]),
      {
        label: t('Reachable'),
        value:
          mirror.reachable || mirror.unreachable_since === null ? (
            t('Yes')
          ) : (
            <RelativeTime at={mirror.unreachable_since} now={now} />
          ),
      },
      {
        label: t('Last in sync'),
        value:
          mirror.synced_at === null ? (
            t('Not yet')
          ) : (
            <RelativeTime at={mirror.synced_at} now={now} />
          ),
      },
    ]}
  />
)

const MirrorCard = ({
  visit,
  mirror,
  manage,
}: {
  visit: Visit
  mirror: Mirror
  manage: boolean
}) => {
  const now = visit.hearth.clock.now()
  return (
    <Card title={mirror.name} actions={<MirrorBadge state={mirror.state} />}>
      <p>
        <LeadSentence mirror={mirror} now={now} />
      </p>
      {mirror.last_error !== null && (
        <Notice kind="wait" title={t('The last attempt failed')}>
          <p>{sentenceOf(mirror.last_error)}</p>
        </Notice>
      )}
      {mirror.checks_problem !== null && (
        <Notice kind="info" title={t('Results of checks do not reach the remote')}>
          <p>{sentenceOf(mirror.checks_problem)}</p>
        </Notice>
      )}
      {manage && <KeyNotice mirror={mirror} />}
      <MirrorFacts mirror={mirror} now={now} />
      {mirror.left_out.length > 0 && (
        <details class="more">
          <summary>{t('Refs that were left out')}</summary>
          <ul>
            {mirror.left_out.map((line) => (
              <li>{line}</li>
            ))}
          </ul>
        </details>
      )}
      <Steps visit={visit} mirror={mirror} manage={manage} />
      {manage && (
        <>
          <EditMirrorForm visit={visit} mirror={mirror} action={mirrorPath(visit, '/update')} />
          <Ending visit={visit} mirror={mirror} />
        </>
      )}
    </Card>
  )
}

const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '')

const KeptRefs = ({ visit, kept }: { visit: Visit; kept: ListPage<KeptRef> }) => (
  <Card title={t('Kept commits')} id="kept">
    <p class="muted">
      {t('Former tips that a sync or a hand back moved away from. They stay for 90 days.')}
    </p>
    <List label={t('Kept commits')}>
      {kept.items.map(({ sha, ref, side, kept_at }) => (
        <Row
          title={<code>{shortRef(ref)}</code>}
          meta={
            <>
              <code>{sha.slice(0, 7)}</code>
              <span>{side === 'remote' ? t('Was on the remote') : t('Was here')}</span>
              <RelativeTime at={kept_at} now={visit.hearth.clock.now()} />
            </>
          }
        >
          <Form
            action={mirrorPath(visit, '/restore')}
            csrf={visit.csrf}
            label={t('Branch for {ref}', { ref: shortRef(ref) })}
            inline
          >
            <input type="hidden" name="sha" value={sha} />
            <Field
              id={`branch-${sha}-${ref}`}
              name="branch"
              label={t('New branch')}
              required
              maxlength={255}
              value={`kept/${shortRef(ref)}`}
            />
            <Button icon="branch">{t('Create branch')}</Button>
          </Form>
        </Row>
      ))}
    </List>
    <RowSteps list={kept} here={mirrorPath(visit)} label={t('Kept commits')} />
  </Card>
)

const MirrorView = ({ visit, repo, link, kept }: Shown & { visit: Visit }): Html => {
  const manage = link.can_manage && !repo.archived
  const { form } = visit
  const isShown = form.error !== null && form.values.text('form') === ''
  return (
    <RepoSettingsFrame visit={visit} repo={repo} title={t('Mirrors')} part="mirrors">
      <PageHead
        title={t('Mirrors')}
        lead={t(
          'Copies of this repository on other servers: one that it follows until somebody takes over here, and others that get every push.',
        )}
      />
      {isShown && <FormError>{form.error?.message}</FormError>}
      {link.remotes.length === 0 && (
        <EmptyState icon="refresh" title={t('No mirrors yet')}>
          {t(
            'Link the repository that you have elsewhere. You can push there as before, take over here when it is down, and hand back without losing a commit.',
          )}
        </EmptyState>
      )}
      {link.remotes.map((mirror) => (
        <MirrorCard visit={visit} mirror={mirror} manage={manage} />
      ))}
      {link.plan !== null && (
        <PlanCard
          visit={visit}
          plan={link.plan}
          canManage={manage}
          at={(rest) => mirrorPath(visit, rest)}
        />
      )}
      {kept.items.length > 0 && <KeptRefs visit={visit} kept={kept} />}
      {manage && (
        <Card title={t('New mirror')}>
          <NewMirrorForm
            visit={visit}
            action={mirrorPath(visit)}
            hasLeader={link.remotes.some(({ role }) => role === 'leader')}
          />
        </Card>
      )}
    </RepoSettingsFrame>
  )
}

export const mirrorPage = page({
  path: BASE,
  load: async (visit): Promise<Shown | null> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    if (!repo.permissions.write) return null
    const link = await visit.call(getMirror, { repo: repo.full_name })
    const kept = await loadPage(visit, (page) =>
      visit.call(listKeptMirrorRefs, { repo: repo.full_name, page }),
    )
    return { repo, link, kept }
  },
  view: (shown, visit) => <MirrorView visit={visit} {...shown} />,
})

const form = (
  rest: string,
  flash: Parameters<typeof redirectWithFlash>[2],
  submit: (visit: Visit, fields: Fields, repo: string) => Promise<unknown>,
) =>
  action({
    path: `${BASE}${rest}`,
    page: mirrorPage,
    submit: async (visit, fields) => {
      await submit(visit, fields, repoOf(visit))
      return redirectWithFlash(visit, mirrorPath(visit), flash)
    },
  })

const optional = (fields: Fields, name: string): string | undefined =>
  fields.text(name) === '' ? undefined : fields.text(name)

/** The chosen side of each conflict. One without a choice is left out, and refused by name. */
async function resolutionFrom(
  visit: Visit,
  fields: Fields,
): Promise<Record<string, 'ours' | 'theirs'>> {
  const choices = new Map(fields.all('ref').map((ref, at) => [ref, fields.all('choice')[at]]))
  if (fields.has(OTHERS_FIELD)) {
    const { plan } = await visit.call(getMirror, { repo: repoOf(visit) })
    for (const { ref } of plan === null ? [] : conflictsOf(plan))
      if (!choices.has(ref)) choices.set(ref, fields.text(OTHERS_FIELD))
  }
  return Object.fromEntries(
    [...choices].flatMap(([ref, choice]) =>
      choice === 'ours' || choice === 'theirs' ? [[ref, choice] as const] : [],
    ),
  )
}

export const mirrorForms = [
  form('', 'mirror-created', (visit, fields, repo) =>
    visit.call(createMirror, {
      repo,
      url: fields.text('url'),
      role: fields.text('role') === 'follower' ? 'follower' : 'leader',
      provider: providerFrom(fields),
      name: optional(fields, 'name'),
      username: optional(fields, 'username'),
      secret: optional(fields, 'secret'),
    }),
  ),
  form('/update', 'mirror-saved', (visit, fields, repo) =>
    visit.call(updateMirror, {
      repo,
      id: fields.text('id'),
      url: fields.text('url'),
      username: optional(fields, 'username'),
      secret: optional(fields, 'secret'),
      host_key: fields.has('host_key') ? fields.text('host_key').trim() : undefined,
      settings: settingsFrom(fields),
    }),
  ),
  form('/pause', 'mirror-saved', (visit, fields, repo) =>
    visit.call(updateMirror, {
      repo,
      id: fields.text('id'),
      paused: fields.text('paused') === 'true',
    }),
  ),
  form('/force', 'mirror-syncing', (visit, fields, repo) =>
    visit.call(updateMirror, { repo, id: fields.text('id'), force: true }),
  ),
  form('/sync', 'mirror-syncing', (visit, fields, repo) =>
    visit.call(syncMirror, { repo, id: fields.text('id') }),
  ),
  form('/take-over', 'mirror-taken-over', (visit, _, repo) => visit.call(takeOverMirror, { repo })),
  form('/plan', 'mirror-planned', (visit, _, repo) =>
    visit.call(handBackMirror, { repo, dry_run: true }),
  ),
  form('/hand-back', 'mirror-handing-back', async (visit, fields, repo) =>
    visit.call(handBackMirror, { repo, resolve: await resolutionFrom(visit, fields) }),
  ),
  form('/move', 'mirror-moved', (visit, fields, repo) =>
    visit.call(moveMirrorToService, { repo, keep_remote_updated: fields.text('keep') === 'true' }),
  ),
  form('/delete', 'mirror-deleted', (visit, fields, repo) =>
    visit.call(deleteMirror, { repo, id: fields.text('id') }),
  ),
  form('/restore', 'mirror-restored', (visit, fields, repo) =>
    visit.call(restoreKeptMirrorRef, {
      repo,
      sha: fields.text('sha'),
      branch: fields.text('branch'),
    }),
  ),
]
