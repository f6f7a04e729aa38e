// libgps.a can also read from D-Bus. We never do; with these two names defined here the linker
// leaves that part of the archive out, and with it D-Bus, systemd, gcrypt and eight more libraries.
//
// And it spells out for its trace, with every report, which fields it has found. We never ask for it.
struct gps_data_t;

int gps_dbus_open(struct gps_data_t *session);
int gps_dbus_mainloop(struct gps_data_t *session, int timeout, void (*hook)(struct gps_data_t *));

const char *gps_maskdump(unsigned long long set);

const char *gps_maskdump(unsigned long long set)
{
    (void)set;
    return "";
}

int gps_dbus_open(struct gps_data_t *session)
{
    (void)session;
    return -1;
}

int gps_dbus_mainloop(struct gps_data_t *session, int timeout, void (*hook)(struct gps_data_t *))
{
    (void)session;
    (void)timeout;
    (void)hook;
    return -1;
}
