// Deployments with their states, and the form of a review.
import { reviewOffer, type Deployment } from '#features/environments/index.ts'
import {
  ActorLink,
  Button,
  Chip,
  Field,
  Form,
  FormActions,
  Icon,
  List,
  RelativeTime,
  Row,
  type IconName,
  type Tone,
} from '../../components/index.ts'
import { commitPath, jobPath, repoPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { translateMessage } from '../../messages.ts'
import { rich, t, texts } from '../../text.ts'
import { shortRef } from '../runs/states.tsx'

export const STATE_LABELS = texts({
  waiting: 'Waiting',
  queued: 'Queued',
  in_progress: 'Running',
  success: 'Active',
  failure: 'Failed',
  inactive: 'Inactive',
  rejected: 'Rejected',
} as const)

const STYLES: Readonly<Record<Deployment['state'], readonly [IconName, Tone]>> = {
  waiting: ['clock', 'wait'],
  queued: ['clock', 'plain'],
  in_progress: ['refresh', 'wait'],
  success: ['check', 'good'],
  failure: ['close', 'bad'],
  inactive: ['circle', 'plain'],
  rejected: ['stop', 'bad'],
}

const DeploymentState = ({ state, bare }: { state: Deployment['state']; bare?: boolean }) => {
  const [icon, tone] = STYLES[state]
  const label = STATE_LABELS[state]
  return (
    <span class={['check-state', `tone-${tone}`]} title={bare ? label : undefined}>
      {bare ? <Icon name={icon} label={label} /> : [<Icon name={icon} />, <span>{label}</span>]}
    </span>
  )
}

type RowProps = { visit: Visit; repo: string; deployment: Deployment; now: number }

const ReviewForm = ({ visit, repo, deployment }: Omit<RowProps, 'now'>) => (
  <Form
    action={repoPath(repo, `/deployments/${encodeURIComponent(deployment.id)}/review`)}
    csrf={visit.csrf}
    label={t('Review of {job} to {name} at {commit}', {
      job: deployment.job_name,
      name: deployment.environment,
      commit: deployment.sha.slice(0, 7),
    })}
  >
    <Field
      id={`comment-${deployment.id}`}
      name="comment"
      label={t('Comment')}
      maxlength={1000}
      autocomplete="off"
    />
    <FormActions>
      <Button variant="primary" icon="check" name="verdict" value="approve">
        {t('Approve and deploy')}
      </Button>
      <Button variant="danger" icon="close" name="verdict" value="reject">
        {t('Reject')}
      </Button>
    </FormActions>
  </Form>
)

const DeploymentRow = ({ visit, repo, deployment, now }: RowProps) => {
  const { environment, job_name, run, job, sha, ref, url, reviews } = deployment
  const jobHref = jobPath(repo, run, job)
  const offer = reviewOffer(visit.hearth, visit.caller, deployment.id)
  return (
    <Row
      mark={<DeploymentState state={deployment.state} bare />}
      title={
        <a class="row-link" href={jobHref}>
          {rich('{job} to {environment}', { job: job_name, environment })}
        </a>
      }
      meta={
        <>
          <span>
            <a href={commitPath(repo, sha)}>
              <code>{sha.slice(0, 7)}</code>
            </a>
          </span>
          <span>
            <ActorLink of={deployment.creator} face={false} />
          </span>
          <span>
            <RelativeTime at={deployment.created_at} now={now} />
          </span>
          {deployment.waits_for !== null && <span>{translateMessage(deployment.waits_for)}</span>}
          {reviews.map((review) => (
            <span>
              {review.verdict === 'approve'
                ? rich('Approved by {name}', { name: <ActorLink of={review.by} face={false} /> })
                : rich('Rejected by {name}', { name: <ActorLink of={review.by} face={false} /> })}
              {review.comment !== null && `: ${review.comment}`}
            </span>
          ))}
          {url !== null && (
            <span>
              <a href={url} rel="nofollow noopener">
                <Icon name="external" /> {t('Open deployment')}
              </a>
            </span>
          )}
        </>
      }
      end={
        <>
          <Chip icon="branch">{shortRef(ref)}</Chip> <DeploymentState state={deployment.state} />
        </>
      }
    >
      {offer.may && <ReviewForm visit={visit} repo={repo} deployment={deployment} />}
      {offer.refusal !== null && (
        <p class="muted small">
          {t(
            'You started this run, and runs here are not approved by those who started them. Another reviewer decides, or an administrator of the repository changes the environment.',
          )}
        </p>
      )}
    </Row>
  )
}

export const DeploymentList = ({
  visit,
  repo,
  deployments,
}: {
  visit: Visit
  repo: string
  deployments: readonly Deployment[]
}) => (
  <List label={t('Deployments')}>
    {deployments.map((deployment) => (
      <DeploymentRow
        visit={visit}
        repo={repo}
        deployment={deployment}
        now={visit.hearth.clock.now()}
      />
    ))}
  </List>
)
