-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `channels`;
CREATE TABLE `channels` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `type` bigint DEFAULT '0',
  `key` longtext NOT NULL,
  `status` bigint DEFAULT '1',
  `name` varchar(191) DEFAULT NULL,
  `weight` bigint unsigned DEFAULT '0',
  `base_url` varchar(191) DEFAULT '',
  `models` longtext,
  `group` varchar(64) DEFAULT 'default',
  `model_mapping` text,
  `priority` bigint DEFAULT '0',
  `tag` varchar(191) DEFAULT NULL,
  `param_override` text,
  `channel_info` json DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `idx_channels_name` (`name`)
) ENGINE=InnoDB;
INSERT INTO `channels` VALUES (1,43,'sk-deepseek-literal-01',1,'DeepSeek; it\'s main',90,'','deepseek-chat','default','{\"deepseek-chat\":\"deepseek-v3\"}',0,NULL,NULL,'{\"is_multi_key\": false}'),(2,1,'sk-proxy-literal-01\nsk-proxy-literal-02',1,'Proxy',10,'https://proxy.example/','deepseek-chat','default',NULL,0,'cheap','{\"temperature\": 0}','{\"is_multi_key\": true}'),(3,24,'gemini-literal-0123',1,'Gemini',0,'https://generativelanguage.googleapis.com','gemini-2.5-flash','default','',5,NULL,NULL,NULL),(4,41,'{\"type\":\"service_account\"}',1,'Vertex',0,'','gemini-2.5-pro','default','',0,NULL,NULL,NULL);
CREATE TABLE `tokens` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `user_id` bigint DEFAULT NULL,
  `key` varchar(128) DEFAULT NULL,
  `status` bigint DEFAULT '1',
  `name` varchar(191) DEFAULT NULL,
  `expired_time` bigint DEFAULT '-1',
  `remain_quota` bigint DEFAULT '0',
  `unlimited_quota` tinyint(1) DEFAULT NULL,
  `model_limits_enabled` tinyint(1) DEFAULT NULL,
  `model_limits` text,
  `allow_ips` varchar(191) DEFAULT '',
  `group` varchar(191) DEFAULT '',
  `cross_group_retry` tinyint(1) DEFAULT NULL,
  `deleted_at` datetime(3) DEFAULT NULL,
  PRIMARY KEY (`id`)
);
INSERT INTO `tokens` VALUES (1,1,'qbcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL',1,'app',-1,2500000,0,1,'deepseek-chat','192.168.1.7\n10.1.2.3/16','',0,NULL),(2,1,'rbcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL',1,'数据',-1,0,1,0,'','','auto',1,NULL),(3,1,'sbcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL',1,'gone',-1,0,1,0,'','','',0,'2025-01-01 00:00:00.000');
