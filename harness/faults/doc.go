// Package faults proves that failrate loses, leaves and miscounts nothing when things go wrong around it.
//
// It holds only tests. They build the real command and one small static subject, run whole campaigns in processes of
// their own, hurt them (SIGKILL and other signals at points spread over their life, an engine, a machine or a subject
// that misbehaves), and look only at what a user can see: exit statuses, results folders, tables, processes, containers
// and files. Each fault is a point; a point that is not survived fails its test. At the end a table says how many points
// of each kind were survived of those that were tried.
//
// With FAULTS=long there are many more points; FAULTS_POINTS sets their number for kills. FAULTS_JSON names a file for
// the table as JSON. Container points need a Docker Engine and say so when they are skipped; with REQUIRE_DOCKER set,
// that is a failure. Each campaign has a folder, a cache and a marker of its own, so that others may run beside it.
package faults
