-- The record of a fleet: psql --set ON_ERROR_STOP=1 --file schema.sql fleet
-- Every statement can be repeated on a database that has it already.
begin;

create extension if not exists postgis;

-- A place is a geometry: a measure that is interpolated along a geography is not to be trusted. Metres:
-- st_distancesphere(one.place, other.place), or place::geography for this one question.
create table if not exists location (
  topic text not null,
  tst timestamptz not null,
  number bigint generated always as identity,  -- in the order in which they came; with gaps
  received timestamptz not null default now(),
  place geometry(point, 4326) not null,
  acc real,
  vel real,
  cog real,
  t text,
  message jsonb not null,
  primary key (topic, tst)
);
create index if not exists location_place on location using gist (place);
create index if not exists location_tst on location using brin (tst);

-- Crossings, beacons, alarms and wills. `what` tells two of one second apart: event, kind of alarm, region, beacon.
create table if not exists event (
  topic text not null,
  tst timestamptz not null,
  what text not null,
  type text not null,
  number bigint generated always as identity,
  received timestamptz not null default now(),
  place geometry(point, 4326),
  message jsonb not null,
  primary key (topic, tst, what)
);
create index if not exists event_tst on event using brin (tst);

create table if not exists trip (
  topic text not null,
  tst timestamptz not null,
  event text not null,  -- start, stop
  number bigint generated always as identity,
  received timestamptz not null default now(),
  place geometry(point, 4326),
  message jsonb not null,
  primary key (topic, tst, event)
);

-- Of what has no history, the newest alone: /status, /info, /waypoints, /dump, each waypoint and each answer.
create table if not exists latest (
  topic text not null,
  what text not null,  -- of waypoints and answers: which
  type text not null,
  tst timestamptz not null,
  received timestamptz not null default now(),
  message jsonb not null,
  primary key (topic, what)
);

-- When each board was last heard itself; a will is the broker's word and does not count. Boards that are entered here
-- with null are listed before they have said anything.
create table if not exists heard (
  topic text primary key,
  received timestamptz
);

-- Acknowledged and not kept, with the reason.
create table if not exists refused (
  number bigint generated always as identity primary key,
  received timestamptz not null default now(),
  topic text not null,
  reason text not null,
  body bytea not null
);

-- One row. A board at rest says where it is every `ping` minutes, 15 by itself.
create table if not exists rule (
  one boolean primary key default true check (one),
  overdue_after interval not null default '35 minutes'
);
insert into rule default values on conflict do nothing;

-- Each board: its last place, its last status, how long ago it was heard, and whether that is too long: of one that is
-- switched off on purpose and has said when it checks in, an hour after that.
create or replace view board as
select
  heard.topic,
  location.tst as placed,
  location.place,
  location.acc,
  location.message as location,
  status.message as status,
  -- Whatever a board says: compared as JSON, a value of another kind is another one, and no error.
  case status.message -> 'linux' -> 'online' when 'true' then true when 'false' then false end as online,
  heard.received as heard,
  date_trunc('second', now() - heard.received) as age,
  case
    when status.message -> 'linux' -> 'online' = 'false'
      and status.message -> 'linux' -> 'nextCheckIn' between '0' and '253402300799'
      then now() > to_timestamp((status.message -> 'linux' ->> 'nextCheckIn')::double precision) + interval '1 hour'
    else heard.received is null or now() - heard.received > rule.overdue_after
  end as overdue
from heard
cross join rule
left join lateral (
  select * from location where location.topic = heard.topic order by tst desc limit 1
) as location on true
left join latest as status on status.topic = heard.topic || '/status' and status.what = '';

-- The same as messages, one JSON object a row, with the topic that it came on:
-- psql --no-align --tuples-only --command 'select line from board_line' fleet
create or replace view board_line as
select topic, jsonb_build_object('topic', topic) || location as line from board where location is not null
union all
select topic, jsonb_build_object('topic', topic || '/status') || status from board where status is not null;

-- The consumer writes, lookers-on read. Who logs in as what: fleet/README.md.
do $$ begin
  if not exists (select from pg_roles where rolname = 'homeward-record') then
    create role "homeward-record" login;
  end if;
  if not exists (select from pg_roles where rolname = 'fleet_reader') then
    create role fleet_reader nologin;
  end if;
end $$;
grant select, insert on location, event, trip, latest, heard, refused to "homeward-record";
grant update on latest, heard to "homeward-record";
grant select on location, event, trip, latest, heard, refused, rule, board, board_line to fleet_reader;

commit;
