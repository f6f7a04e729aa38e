// libgps.a can also read from D-Bus. We never do; with these two names defined here the linker
// leaves that part of the archive out, and with it D-Bus, systemd, gcrypt and eight more libraries.
struct gps_data_t;

int gps_dbus_open(struct gps_data_t *session);
int gps_dbus_mainloop(struct gps_data_t *session, int timeout, void (*hook)(struct gps_data_t *));

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
