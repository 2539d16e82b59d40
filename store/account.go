package store

// OrganizationSpec is the top of the ladder. Its limits are for system
// administrators only.
type OrganizationSpec struct {
	Enabled *bool   `json:"enabled,omitempty"`
	Limits  *Limits `json:"limits,omitempty"`
}

// TeamSpec is a team of an organization.
type TeamSpec struct {
	Enabled        *bool   `json:"enabled,omitempty"`
	OrganizationID string  `json:"organizationId" ref:"organization"`
	Limits         *Limits `json:"limits,omitempty"`
}

// ProjectSpec is a project of a team.
type ProjectSpec struct {
	Enabled *bool   `json:"enabled,omitempty"`
	TeamID  string  `json:"teamId" ref:"team"`
	Limits  *Limits `json:"limits,omitempty"`
}

// ServiceAccountSpec is a program that acts in a project.
type ServiceAccountSpec struct {
	Enabled   *bool   `json:"enabled,omitempty"`
	ProjectID string  `json:"projectId" ref:"project"`
	Limits    *Limits `json:"limits,omitempty"`
}
