import type { ButtonProps } from '@mantine/core'
import { type LinkProps, linkOptions } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { ButtonLink } from '../../../components/links.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { JobSearch, Warning } from '../types.ts'

const texts = jobTexts.warnings.open
// The type of a link to any route is too complex for the compiler.
const AnyLink = ButtonLink as ComponentType<LinkProps & ButtonProps>

type Props = {
  subject: Warning['subject']
  jobId: string
  /** For the main action of a failure. */
  label?: string | undefined
}

/** Opens what a warning or a failure is about; nothing if that is this run. */
export function SubjectLink({ subject, jobId, label }: Props) {
  const { id: workspaceId } = useWorkspace()
  if (!subject || (subject.kind === 'job' && subject.id === jobId)) return null
  return (
    <AnyLink variant={label ? 'filled' : 'default'} size="xs" {...addressOf(subject, workspaceId)}>
      {label ?? texts[subject.kind]}
    </AnyLink>
  )
}

function addressOf({ kind, id, field }: NonNullable<Warning['subject']>, workspaceId: string): LinkProps {
  switch (kind) {
    case 'setting':
    case 'source':
    case 'destination':
      return linkOptions({
        to: '/w/$workspaceId/connectors/$kind/$connectorId',
        params: { workspaceId, kind: kind === 'destination' ? kind : 'source', connectorId: id },
        hash: kind === 'setting' ? (field ?? '') : '',
      })
    case 'workflow':
      return linkOptions({
        to: '/w/$workspaceId/workflows/$workflowId',
        params: { workspaceId, workflowId: id },
      })
    case 'document':
      return linkOptions({ to: '/w/$workspaceId/documents', params: { workspaceId }, search: { record: id } })
    case 'documents':
    case 'job':
      return linkOptions({
        to: '/w/$workspaceId/jobs/$jobId',
        params: { workspaceId, jobId: id },
        search: kind === 'job' ? {} : { tab: 'documents', ...filterOf(field) },
      })
  }
}

/** Documents have errors and warnings, with codes of their own. */
function filterOf(code: string | null): JobSearch {
  if (code === null) return {}
  return Object.hasOwn(jobTexts.errors, code) ? { error: code } : { warning: code }
}
