import classes from './logo.module.css'

const paddles = [0, 45, 90, 135, 180, 225, 270, 315]

/** The mill wheel turns while a job runs, unless the user prefers less motion. */
export function Logo({ size = 28, turning = false }: { size?: number; turning?: boolean }) {
  return (
    <svg
      className={classes.mark}
      data-turning={turning || undefined}
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      aria-hidden="true"
    >
      <circle cx="16" cy="16" r="8.5" />
      <circle cx="16" cy="16" r="2.5" fill="currentColor" stroke="none" />
      {paddles.map((angle) => (
        <g key={angle} transform={`rotate(${angle} 16 16)`}>
          <path d="M16 14V7" strokeWidth="1.25" />
          <path d="M15.3 7.6l2-6" strokeWidth="3" />
        </g>
      ))}
    </svg>
  )
}
