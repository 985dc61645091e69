import { type LinkProps, linkOptions } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { useWorkspace } from '../service/session.ts'
import { TextLink } from './links.tsx'

export type Thing = { kind: 'source' | 'destination' | 'workflow' | 'job'; id: string }

// The type of a link to any route is too complex for the compiler.
const AnyLink = TextLink as ComponentType<LinkProps & { inherit?: boolean | undefined }>

/** Opens what an event or an entry names. */
export function ThingLink({
  thing,
  inherit,
  children,
}: {
  thing: Thing
  inherit?: boolean
  children: ReactNode
}) {
  const { id: workspaceId } = useWorkspace()
  return (
    <AnyLink inherit={inherit} {...addressOf(thing, workspaceId)}>
      {children}
    </AnyLink>
  )
}

function addressOf({ kind, id }: Thing, workspaceId: string): LinkProps {
  switch (kind) {
    case 'job':
      return linkOptions({ to: '/w/$workspaceId/jobs/$jobId', params: { workspaceId, jobId: id } })
    case 'workflow':
      return linkOptions({
        to: '/w/$workspaceId/workflows/$workflowId',
        params: { workspaceId, workflowId: id },
      })
    default:
      return linkOptions({
        to: '/w/$workspaceId/connectors/$kind/$connectorId',
        params: { workspaceId, kind, connectorId: id },
      })
  }
}
