import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes } from 'react'

type Attributes<Props> = Props & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props>

/** Mantine links with the router's typed addresses. */
export const TextLink = createLink((props: Attributes<AnchorProps>) => <Anchor {...props} />)

export const ButtonLink = createLink((props: Attributes<ButtonProps>) => <Button component="a" {...props} />)
